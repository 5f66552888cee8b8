/** Addresses of public resolvers, by operator. */
export const PUBLIC_RESOLVERS: Record<string, string[]> = {
  Google: ['8.8.8.8', '8.8.4.4', '2001:4860:4860::8888', '2001:4860:4860::8844'],
  Cloudflare: ['1.1.1.1', '1.0.0.1', '2606:4700:4700::1111', '2606:4700:4700::1001'],
  Quad9: ['9.9.9.9', '149.112.112.112', '2620:fe::fe', '2620:fe::9'],
  OpenDNS: ['208.67.222.222', '208.67.220.220'],
  'DNS.WATCH': ['84.200.69.80', '84.200.70.40'],
}
