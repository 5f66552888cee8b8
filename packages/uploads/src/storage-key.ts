import { hash, randomBytes } from 'node:crypto'

const KEY = /^[0-9a-f]{32}$/

export function newKey(): string {
  return randomBytes(16).toString('hex')
}

export function isKey(text: string): boolean {
  return KEY.test(text)
}

/** For a key that came from elsewhere: another text might lead out of our folder or to another's object. */
export function requireKey(text: string): string {
  if (!isKey(text)) throw new Error('invalid storage key')
  return text
}

/** Where the note of a file is kept: under a key like those of files, so that notes without a file are found by their age. */
export function noteKeyOf(key: string): string {
  return hash('sha256', `note of ${requireKey(key)}`).slice(0, 32)
}
