import ipaddr from 'ipaddr.js'

/** Both IANA special-purpose registries, row by row, and the multicast and site-local blocks of other registries. */
export const REGISTERED_IPV4 = [
  ...['0.0.0.0/8', '0.0.0.0/32', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...[
    '192.0.0.0/24',
    '192.0.0.0/29',
    '192.0.0.8/32',
    '192.0.0.9/32',
    '192.0.0.10/32',
    '192.0.0.170/32',
    '192.0.0.171/32',
  ],
  ...['192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.88.99.2/32', '192.168.0.0/16'],
  ...['192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  '255.255.255.255/32',
]
export const REGISTERED_IPV6 = [
  ...['::1/128', '::/128', '64:ff9b::/96', '64:ff9b:1::/48', '100::/64', '100:0:0:1::/64', '2001::/23', '2001::/32'],
  ...[
    '2001:1::1/128',
    '2001:1::2/128',
    '2001:1::3/128',
    '2001:2::/48',
    '2001:3::/32',
    '2001:4:112::/48',
    '2001:10::/28',
  ],
  ...['2001:20::/28', '2001:30::/28', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20', '5f00::/16'],
  ...['fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
]

/** An independent implementation without shared code. `ipaddr.js` knows the registries, but not the services of providers. */
export function isPublic(text: string): boolean {
  const address = ipaddr.process(text) // an IPv4-mapped address becomes the IPv4 address
  if (address.range() !== 'unicast') return false
  if (address.kind() === 'ipv4') return address.toString() !== '168.63.129.16'
  return address.match(ipaddr.parseCIDR('2000::/3'))
}

/** The ends of a block and the adjacent addresses outside it, as numbers, if they exist. */
export function listEdges(block: string): { inside: bigint[]; outside: bigint[] } {
  const [start, length] = ipaddr.parseCIDR(block)
  const bytes = start.toByteArray()
  const bits = 8 * bytes.length
  const first = bytes.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n)
  const last = first + (1n << BigInt(bits - length)) - 1n
  const outside = [first - 1n, last + 1n].filter((number) => number >= 0n && number < 1n << BigInt(bits))
  return { inside: [first, last], outside }
}

/** Big-endian bytes of an address. */
export function bytesOf(number: bigint, length: 4 | 16): number[] {
  return Array.from({ length }, (_, index) => Number((number >> BigInt(8 * (length - 1 - index))) & 0xffn))
}

export function writeIpv4(number: bigint): string {
  return bytesOf(number, 4).join('.')
}

/** All eight groups with all their digits. */
export function writeIpv6(number: bigint): string {
  return number
    .toString(16)
    .padStart(32, '0')
    .replaceAll(/(.{4})(?!$)/g, '$1:')
}

/** Numbers below a bound, the same for the same seed. */
export function makeRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
