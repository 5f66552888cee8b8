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

/** Suffixes of names outside the public DNS (RFC 2606, RFC 6761, RFC 6762). */
export const PRIVATE_ENDS = ['localhost', 'local', 'localdomain', 'lan', 'home', 'internal', 'invalid', 'test', 'arpa']

/** Patterns of generic PTR names that hosting providers assign: the name contains the IP address or one of these words. */
export const GENERIC_WORDS =
  /(^|[.-])(dynamic|dyn|dhcp|pool|dial(up)?|ppp|static|unassigned|unknown|client|customer)([.-]|[0-9]|$)/
