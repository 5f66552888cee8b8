/**
 * Top-level names that DNS never leads to a public mail host, whatever a resolver says of them: what stands behind such a name
 * is the operator's own network. `example` is not among them: it leads nowhere, and the lab's world lies below it.
 */
export const SPECIAL_USE: ReadonlySet<string> = new Set([
  'alt', // RFC 9476
  'arpa', // RFC 3172; home.arpa is RFC 8375
  'internal', // kept for private use by ICANN, 2024
  'invalid', // RFC 6761 §6.4
  'local', // RFC 6762, multicast DNS
  'localhost', // RFC 6761 §6.3
  'onion', // RFC 7686
  'test', // RFC 6761 §6.2
])
