/** Third-party and reserved domains that must not be used as a HELO name. */
export const BORROWED_DOMAINS = [
  'gmail.com',
  'google.com',
  'googlemail.com',
  'outlook.com',
  'hotmail.com',
  'microsoft.com',
  'yahoo.com',
  'icloud.com',
  'apple.com',
  'gmx.net',
  'example.com',
  'example.net',
  'example.org',
]

/** Ends of names that the world does not know (RFC 2606, RFC 6761, RFC 6762). */
export const PRIVATE_ENDS = ['localhost', 'local', 'localdomain', 'lan', 'home', 'internal', 'invalid', 'test', 'arpa']

/** What hosters call addresses that nobody has given a name: the address itself is in it, or one of these words. */
export const GENERIC_WORDS =
  /(^|[.-])(dynamic|dyn|dhcp|pool|dial(up)?|ppp|static|unassigned|unknown|client|customer)([.-]|[0-9]|$)/
