/**
 * The format of an API key: `pb_live_`, `pb_test_` or, for web pages, `pb_pub_`, then 32 characters of secret (190 bits) and 6 characters
 * of checksum. With the checksum, mistyped keys are rejected without a lookup, and keys in logs are recognized without false positives.
 */
export const KEY_ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
export const KEY_SECRET_LENGTH = 32
const CHECKSUM_LENGTH = 6

export type KeyMode = 'live' | 'test'

/** Prefix of a key. Keys for web pages have one of their own instead of the mode, which shows that they are meant to be public. */
export type KeyPrefix = KeyMode | 'pub'

/** Finds keys in running text, such as a log. `isWellFormedKey` confirms a match. */
export const KEY_PATTERN = /pb_(?:live|test|pub)_[0-9A-Za-z]{38}/g

export function formatKey(prefix: KeyPrefix, secret: string): string {
  const body = `pb_${prefix}_${secret}`
  return body + checksumOf(body)
}

export function isWellFormedKey(text: string): boolean {
  if (!/^pb_(?:live|test|pub)_[0-9A-Za-z]{38}$/.test(text)) return false
  const body = text.slice(0, -CHECKSUM_LENGTH)
  return text.slice(-CHECKSUM_LENGTH) === checksumOf(body)
}

/** The part of a key that may be shown after its creation. */
export function formatKeyHint(key: string): string {
  return `${key.slice(0, key.lastIndexOf('_') + 1)}…${key.slice(-4)}`
}

function checksumOf(body: string): string {
  let rest = crc32(body)
  let digits = ''
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = KEY_ALPHABET.charAt(rest % KEY_ALPHABET.length) + digits
    rest = Math.floor(rest / KEY_ALPHABET.length)
  }
  return digits
}

// CRC-32 as in ISO 3309 and zlib. Own implementation because this package also runs in browsers. Keys are ASCII, so a character is a byte.
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc
})

function crc32(text: string): number {
  let crc = 0xffffffff
  for (let i = 0; i < text.length; i++) crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ text.charCodeAt(i)) & 0xff] ?? 0)
  return (crc ^ 0xffffffff) >>> 0
}

/** The scopes of API keys. A scope that ends in `:write` includes the one of the same subject that ends in `:read`. */
export const KEY_SCOPES = {
  'validations:read': 'read stored validation results.',
  'validations:write': 'validate addresses, one or many per request, and report the delivery outcome of messages.',
  'jobs:read': 'read uploads, jobs and their results.',
  'jobs:write': 'upload lists; start, pause, resume, cancel and delete jobs.',
  'account:read': 'read plan, credits, limits, usage, request log, policies and overrides.',
  'account:write': 'change account settings, policies and overrides.',
  'keys:read': 'read API keys, without their secrets.',
  'keys:write': 'create, change, rotate and revoke API keys.',
  'webhooks:read': 'read webhooks and their deliveries.',
  'webhooks:write': 'create, change, test and delete webhooks, resend deliveries, and set the low-credit threshold.',
} as const satisfies Record<string, string>

export type KeyScope = keyof typeof KEY_SCOPES

/** The scopes of a secret key if the request names none. They exclude other keys, webhooks and account settings. */
export const DEFAULT_SCOPES: readonly KeyScope[] = [
  'validations:read',
  'validations:write',
  'jobs:read',
  'jobs:write',
  'account:read',
]

const SCOPES = Object.keys(KEY_SCOPES) as KeyScope[]

/**
 * The scopes that are stored for a key, in the order of the table. A write scope adds the read scope of its subject. A publishable
 * key is the exception: it is public, so it must not read what it validated.
 */
export function expandScopes(scopes: readonly KeyScope[], type: KeyType = 'secret'): KeyScope[] {
  if (type === 'publishable') return [...scopes]
  return SCOPES.filter((scope) => scopes.includes(scope) || scopes.some((other) => includesScope(other, scope)))
}

function includesScope(write: KeyScope, read: KeyScope): boolean {
  return write.endsWith(':write') && read === write.replace(/write$/, 'read')
}

/** A secret key stays on servers of the account; a publishable key is part of public web pages. */
export type KeyType = 'secret' | 'publishable'
export const KEY_TYPES = ['secret', 'publishable'] as const satisfies KeyType[]

/** The scopes of every publishable key, without the read scope. Only `POST /validation/decision` accepts such keys. */
export const PUBLISHABLE_SCOPES = ['validations:write'] as const

/** The policy of a publishable key if none is given at its creation. */
export const PUBLISHABLE_POLICY = 'signup'

/** The monthly cap of a publishable key if none is given: the credits that visitors of a page can use. */
export const PUBLISHABLE_MONTHLY_CAP_DEFAULT = 10_000

export const ALLOWED_ORIGINS_MAX = 20
export const ALLOWED_POLICIES_MAX = 20
/** A visitor who fills in a form needs a few requests; an office behind one IP address needs more. */
export const VISITOR_CAP_DEFAULT = 30

/** Whether a text is an origin as browsers send it: lower case, without a path and without the default port. */
export function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, origin } = new URL(text)
  return (protocol === 'https:' || protocol === 'http:') && origin === text
}

export const IP_ALLOWLIST_MAX = 50

/** A week: the longest time that a rotated key works beside its successor. */
export const OVERLAP_S_MAX = 604_800
