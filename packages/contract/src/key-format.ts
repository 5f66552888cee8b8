/**
 * The shape of an API key: `pb_live_`, `pb_test_` or, for web pages, `pb_pub_`, 32 characters of secret (190 bits), 6 characters of checksum. The
 * checksum lets a mistyped key be refused without a look-up, and lets a key be recognised in a log beyond doubt.
 */
export const KEY_ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
export const KEY_SECRET_LENGTH = 32
const CHECKSUM_LENGTH = 6

export type KeyMode = 'live' | 'test'

/** What stands in front. A key for web pages says that it is one, rather than its mode: nobody need be alarmed to find it there. */
export type KeyPrefix = KeyMode | 'pub'

/** Finds keys in running text, such as a log. Every hit is worth a look with `isWellFormedKey`. */
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

/** What may be shown of a key after its one appearance. */
export function hintOf(key: string): string {
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

// CRC-32 as in ISO 3309 and zlib, by hand because this package runs in browsers too. Keys are ASCII, so a character is a byte.
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
