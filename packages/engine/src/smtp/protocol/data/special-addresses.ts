/**
 * Ranges with public hosts: all of IPv4 except the blocks below, and the part of IPv6 that is allocated for it (RFC 4291 §2.4). The rest
 * of IPv6 is outside without being listed: loopback, unique local, link-local, multicast, and forms that contain an IPv4 address for a
 * translator, such as 64:ff9b::/96.
 */
export const PUBLIC_BLOCKS: readonly string[] = ['::ffff:0:0/96', '2000::/3']

/**
 * Blocks in these ranges that are not public: both IANA special-purpose registries, including blocks that they call globally reachable.
 */
export const SPECIAL_BLOCKS: readonly { block: string; why: string }[] = [
  { block: '0.0.0.0/8', why: '"this network"; Linux treats 0.0.0.0 as the local host (RFC 791 §3.2)' },
  { block: '10.0.0.0/8', why: 'private networks (RFC 1918)' },
  { block: '100.64.0.0/10', why: 'carrier-grade NAT (RFC 6598)' },
  { block: '127.0.0.0/8', why: 'loopback (RFC 1122 §3.2.1.3)' },
  { block: '169.254.0.0/16', why: 'link-local, including cloud metadata services (RFC 3927)' },
  { block: '172.16.0.0/12', why: 'private networks (RFC 1918)' },
  { block: '192.0.0.0/24', why: 'IETF protocol assignments, including tunnel endpoints (RFC 6890)' },
  { block: '192.0.2.0/24', why: 'documentation (RFC 5737)' },
  {
    block: '192.31.196.0/24',
    why: 'AS112, the sink for misdirected DNS queries, often operated inside a network (RFC 7535)',
  },
  { block: '192.52.193.0/24', why: 'AMT relay anycast (RFC 7450)' },
  { block: '192.88.99.0/24', why: '6to4 relay anycast, deprecated (RFC 7526)' },
  { block: '192.168.0.0/16', why: 'private networks (RFC 1918)' },
  { block: '192.175.48.0/24', why: 'AS112, as above (RFC 7534)' },
  { block: '198.18.0.0/15', why: 'benchmarking of network devices (RFC 2544)' },
  { block: '198.51.100.0/24', why: 'documentation (RFC 5737)' },
  { block: '203.0.113.0/24', why: 'documentation (RFC 5737)' },
  { block: '224.0.0.0/4', why: 'multicast (RFC 5771)' },
  { block: '240.0.0.0/4', why: 'reserved, with the broadcast address at its end (RFC 1112 §4, RFC 919)' },

  { block: '2001::/23', why: 'IETF protocol assignments: Teredo, ORCHID, benchmarking and others (RFC 2928)' },
  { block: '2001:db8::/32', why: 'documentation (RFC 3849)' },
  { block: '2002::/16', why: '6to4: contains an IPv4 address that a relay would connect to (RFC 3056)' },
  { block: '2620:4f:8000::/48', why: 'AS112, as above (RFC 7534)' },
  { block: '3fff::/20', why: 'documentation (RFC 9637)' },
]

/**
 * Services that provide credentials and settings to cloud machines. Only the first is an ordinary address. Those that the blocks above
 * cover are listed too, so that no change to a block allows them.
 */
export const CLOUD_SERVICES: readonly { block: string; why: string }[] = [
  { block: '168.63.129.16', why: 'Azure wire server' },
  { block: '169.254.169.254', why: 'metadata of AWS, Google Cloud, Azure, OpenStack and most others' },
  { block: '169.254.170.2', why: 'credentials of containers at AWS' },
  { block: '100.100.100.200', why: 'metadata of Alibaba Cloud' },
  { block: '192.0.0.192', why: 'metadata of Oracle Cloud, version 1' },
  { block: 'fd00:ec2::254', why: 'metadata of AWS over IPv6' },
]
