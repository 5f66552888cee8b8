import { createHash } from 'node:crypto'
import type { Recipient } from './request.ts'

/** Common given names: a filter that rejects gibberish accepts them, so that it does not look like a server that knows its recipients. */
const GIVEN_NAMES = [
  'anna',
  'daniel',
  'julia',
  'laura',
  'lucas',
  'maria',
  'martin',
  'nina',
  'paul',
  'sara',
  'simon',
  'thomas',
]
const ONSETS = ['b', 'd', 'f', 'g', 'h', 'k', 'l', 'm', 'n', 'p', 'r', 's', 't', 'v', 'w', 'z']
const VOWELS = ['a', 'e', 'i', 'o', 'u']
const CONSONANTS = 'bcdfghjkmnpqrstvwxz'

/**
 * Two addresses that do not exist: the first looks like a name (`julia.kinangduld`), the second is 14 consonants. A domain always gets the
 * same ones, so that a server with greylisting knows them at the next attempt. The first collides with a real mailbox once in six million
 * names, and would then show a catch-all, which makes no address valid or invalid.
 */
export function makeControlRecipients(domain: string): [Recipient, Recipient] {
  const digest = createHash('sha256').update(`control recipient of ${domain}`).digest()
  return [makeName(digest), makeConsonants(digest)].map((local) => ({
    path: `${local}@${domain}`,
    needsUtf8: false,
  })) as [Recipient, Recipient]
}

function makeName(digest: Buffer): string {
  const draw = (from: readonly string[], n: number) => from[digest.readUInt8(n) % from.length] ?? ''
  const syllable = (n: number) => `${draw(ONSETS, n)}${draw(VOWELS, n + 1)}`
  return `${draw(GIVEN_NAMES, 20)}.${syllable(21)}n${syllable(23)}${syllable(25)}ld`
}

function makeConsonants(digest: Buffer): string {
  return [...digest.subarray(0, 14)].map((byte) => CONSONANTS[byte % CONSONANTS.length]).join('')
}
