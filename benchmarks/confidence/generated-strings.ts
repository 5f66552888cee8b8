import { createHash } from 'node:crypto'
import { below, pick, type Random, seedRandom } from '@probity/model/random'
import Hashids from 'hashids'
import { customRandom } from 'nanoid'
import { ulid } from 'ulid'
import { v4 } from 'uuid'
import { MASHES } from './data/mashes.ts'
import { typeBlindly } from './keyboard-mash.ts'
import type { StringGroup } from './named-strings.ts'

/** Kinds that no package generates. */
const OWN = 'written for the evaluation'

const SEED = 30_001
const PER_SOURCE = 2000

/** Strings from identifier generators, and from the domain generation of malware. None was used for training. */
export function listMachines(): StringGroup[] {
  const makers: [string, string, (random: Random, index: number) => string][] = [
    ['nanoid_8', 'nanoid', (random) => shortId(random, 8)],
    ['nanoid_10', 'nanoid', (random) => shortId(random, 10)],
    ['nanoid_12', 'nanoid', (random) => shortId(random, 12)],
    ['nanoid_letters_9', 'nanoid', (random) => customRandom('abcdefghijklmnopqrstuvwxyz', 9, bytesOf(random))()],
    ['uuid', 'uuid', (random) => v4({ random: bytesOf(random)(16) }).slice(0, pick(random, [8, 13, 36]))],
    ['ulid', 'ulid', (random, index) => ulid(1.6e12 + index * 7919, random).toLowerCase()],
    ['base36_of_hash', OWN, (_, index) => base36OfHash(index)],
    [
      'hashids',
      'hashids',
      (random, index) => new Hashids('salt', 8).encode(index * 104_729 + below(random, 1000)).toLowerCase(),
    ],
    [
      'sha_prefix',
      'node:crypto',
      (_, index) =>
        createHash('sha256')
          .update(String(index))
          .digest('hex')
          .slice(0, 8 + (index % 9)),
    ],
    ['letters_by_lcg', OWN, (_, index) => lettersByLcg(index)],
    ['letters_from_hash', OWN, (_, index) => lettersFromHash(index)],
    ['name_and_tail', OWN, (random) => pick(random, ['user', 'mail', 'test', 'acc', 'temp']) + shortId(random, 9)],
  ]
  return makers.map(([group, source, make], index) => {
    const random = seedRandom(SEED + index)
    return { group, source, texts: Array.from({ length: PER_SOURCE }, (_, n) => make(random, n)) }
  })
}

/** Random key presses: from a different model of hands than the trainer's, and recorded by hand. */
export function listMashes(): StringGroup[] {
  const random = seedRandom(SEED + 100)
  return [
    {
      group: 'mash_hands',
      source: OWN,
      texts: Array.from({ length: PER_SOURCE }, () => typeBlindly(random)),
    },
    { group: 'mash_written', source: OWN, texts: [...MASHES] },
  ]
}

/**
 * Strings that the model cannot distinguish from names, by design: shown next to the figures and not counted in them.
 */
export function listBlindSpots(): StringGroup[] {
  const random = seedRandom(SEED + 200)
  const syllable = () => pick(random, 'bcdfghjklmnprstvwz') + pick(random, 'aeiou')
  const pronounceable = () => Array.from({ length: 3 + below(random, 3) }, syllable).join('')
  return [
    {
      group: 'pronounceable',
      source: OWN,
      texts: Array.from({ length: PER_SOURCE }, pronounceable),
    },
  ]
}

/** Random letters of one length, for comparison with handles of that length. */
export function listLetters(length: number): StringGroup {
  const letters = customRandom('abcdefghijklmnopqrstuvwxyz', length, bytesOf(seedRandom(SEED + 300 + length)))
  return { group: `letters_${length}`, source: 'nanoid', texts: Array.from({ length: PER_SOURCE }, () => letters()) }
}

function shortId(random: Random, length: number): string {
  return customRandom('0123456789abcdefghijklmnopqrstuvwxyz', length, bytesOf(random))()
}

function bytesOf(random: Random): (count: number) => Uint8Array<ArrayBuffer> {
  return (count) => Uint8Array.from({ length: count }, () => below(random, 256))
}

/** Letters from a linear congruential generator, which also decides the length. */
function lettersByLcg(seed: number): string {
  let state = (seed * 2654435761 + 12345) >>> 0
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state >>> 16
  }
  const length = 7 + (next() % 8)
  let text = ''
  for (let at = 0; at < length; at += 1) text += String.fromCharCode(97 + (next() % 25))
  return text
}

/** The bytes of a digest, each as a letter, as in domain names that change with the date. */
function lettersFromHash(seed: number): string {
  const digest = createHash('md5').update(`day ${seed}`).digest()
  return [...digest.subarray(0, 9 + (seed % 7))].map((byte) => String.fromCharCode(97 + (byte % 26))).join('')
}

/** A digest in base 36 after a letter, as several generators of unguessable identifiers produce. */
function base36OfHash(seed: number): string {
  const digest = createHash('sha256').update(`row ${seed}`).digest('hex')
  return `k${BigInt(`0x${digest}`).toString(36)}`.slice(0, [8, 10, 16, 24][seed % 4])
}
