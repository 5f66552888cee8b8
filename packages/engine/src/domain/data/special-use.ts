/**
 * Top-level names that never belong to a public mail host, whatever a resolver responds: such a name is in the operator's own network.
 * `example` is not listed: it is not delegated, and the simulation uses names below it.
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
