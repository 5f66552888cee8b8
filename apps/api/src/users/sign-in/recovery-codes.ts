import { hash, randomInt } from 'node:crypto'

const COUNT = 10
/** Without characters that look alike. 24 of them have 118 bits, for which OWASP ASVS 6.5.2 accepts a fast hash. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'
const LENGTH = 24
const GROUP = 4

export function createRecoveryCodes(): string[] {
  return Array.from({ length: COUNT }, createCode)
}

function createCode(): string {
  const text = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return (text.match(new RegExp(`.{${GROUP}}`, 'g')) ?? []).join('-')
}

const HASH_PREFIX = 'sha256:'

/** The stored form of a code. Case, spaces and hyphens do not matter. */
export function hashRecoveryCode(code: string): string {
  const plain = code.toLowerCase().replace(/[\s-]+/g, '')
  return `${HASH_PREFIX}${hash('sha256', plain, 'base64url')}`
}

/**
 * How the sign-in library stores the codes. It compares a given code with the stored list, so the route passes the hash of the given code.
 * It
 * also stores the remaining list again, whose hashes must not be hashed again.
 */
export const RECOVERY_CODE_STORAGE = {
  encrypt: async (json: string): Promise<string> => {
    const codes = JSON.parse(json) as string[]
    return JSON.stringify(codes.map((code) => (code.startsWith(HASH_PREFIX) ? code : hashRecoveryCode(code))))
  },
  decrypt: async (json: string): Promise<string> => json,
}
