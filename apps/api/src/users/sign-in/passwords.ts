import { AsyncLocalStorage } from 'node:async_hooks'
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { Problem } from '../../http/problem.ts'
import { COMMON_PASSWORDS } from './data/common-passwords.ts'

const LENGTH_MIN = 12
export const PASSWORD_LENGTH_MAX = 128

/** OWASP minimum for Argon2id: 19 MiB, two passes, one lane. */
const MEMORY_KIB = 19_456
const PASSES = 2
const TAG_BYTES = 32

/** Each hash occupies one of Node's four threads for about twenty milliseconds; DNS lookups and file access use the same threads. */
const AT_ONCE_MAX = 2
/** The same for hashing and verifying: the library hashes the password of an unknown address, and 503 must not tell it from a known one. */
const WAITING_MAX = 32
const RETRY_AFTER_S = 1

const derive = promisify(argon2)

export type Passwords = {
  hash(password: string): Promise<string>
  verify(stored: { hash: string; password: string }): Promise<boolean>
  /** Runs the work of a client that the user has signed in with. Its passwords wait in a queue of their own. */
  forKnownClient<T>(work: () => Promise<T>): Promise<T>
}

/**
 * Hashes a few passwords at a time. If too many are waiting, further requests are rejected. Known clients have a queue of their own, and
 * both queues take turns, so that a flood of sign-ins from many networks neither rejects nor delays them.
 */
export function openPasswords(): Passwords {
  const queues = { known: [] as (() => void)[], unknown: [] as (() => void)[] }
  // The sign-in library calls these functions without the request.
  const lane = new AsyncLocalStorage<'known'>()
  let lastLane: keyof typeof queues = 'unknown'
  let busy = 0

  function takeNext(): (() => void) | undefined {
    const other = lastLane === 'known' ? 'unknown' : 'known'
    const from = queues[other].length > 0 ? other : lastLane
    lastLane = from
    return queues[from].shift()
  }

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (busy >= AT_ONCE_MAX) {
      const waiting = queues[lane.getStore() ?? 'unknown']
      if (waiting.length >= WAITING_MAX) throw new Problem('overloaded', undefined, { retryAfterS: RETRY_AFTER_S })
      await new Promise<void>((resolve) => waiting.push(resolve)) // the slot of the finished hash is passed on
    } else busy++
    try {
      return await work()
    } finally {
      const next = takeNext()
      if (next) next()
      else busy--
    }
  }

  return {
    hash: (password) => inTurn(() => hash(password)),
    verify: ({ hash: stored, password }) => inTurn(() => verify(stored, password)),
    forKnownClient: (work) => lane.run('known', work),
  }
}

async function hash(password: string): Promise<string> {
  const salt = randomBytes(16)
  const tag = await tagOf(password, { salt, memory: MEMORY_KIB, passes: PASSES, length: TAG_BYTES })
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=1$${unpadded(salt)}$${unpadded(tag)}`
}

const FORM = /^\$argon2id\$v=19\$m=(\d{1,6}),t=(\d{1,2}),p=1\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

/** With the settings in the stored hash, so that they can be raised later. */
async function verify(stored: string, password: string): Promise<boolean> {
  const [, memory, passes, salt, tag] = FORM.exec(stored) ?? []
  if (salt === undefined || tag === undefined) throw new Error('unknown format of a stored password')
  const expected = Buffer.from(tag, 'base64')
  const settings = { salt: Buffer.from(salt, 'base64'), memory: Number(memory), passes: Number(passes) }
  return timingSafeEqual(expected, await tagOf(password, { ...settings, length: expected.length }))
}

type Settings = { salt: Buffer; memory: number; passes: number; length: number }

function tagOf(password: string, { salt, memory, passes, length }: Settings): Promise<Buffer> {
  // The same letters can be typed as one character or as two.
  const message = password.normalize('NFKC')
  return derive('argon2id', { message, nonce: salt, parallelism: 1, tagLength: length, memory, passes })
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/(?<!=)=+$/, '')
}

/** Several common words in a row. */
const COMMON = new RegExp(`^(${COMMON_PASSWORDS.join('|')})+$`)
/** Sequences on the keyboard and in the alphabet. */
const RUNS = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890123456789',
  '98765432109876543210',
  'qwertyuiopasdfghjklzxcvbnm',
]

let listed: Promise<ReadonlySet<string>> | undefined

/** The common passwords of zxcvbn. Loaded when the first password is chosen, since it takes some megabytes. */
async function loadList(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'] as string[])
}

/** Digits and symbols that replace letters. */
const STAND_INS: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
}

/** Rejects passwords that are easy to guess: short ones, sequences, and common ones with digits and symbols around them. */
export async function refuseWeakPassword(password: unknown): Promise<void> {
  if (typeof password !== 'string' || password.length > PASSWORD_LENGTH_MAX) return // rejected as malformed elsewhere
  if ([...password].length < LENGTH_MIN)
    throw new Problem('weak_password', 'The password has fewer than 12 characters.')
  const plain = password.toLowerCase()
  const core = plain.replace(/^[^a-z]+|(?<=[a-z])[^a-z]+$/g, '')
  const withoutEnd = plain.replace(/(?<![\d\W_])[\d\W_]+$/, '')
  const isGuessable =
    new Set(plain).size < 4 ||
    RUNS.some((run) => run.includes(plain)) ||
    [plain, core, withoutEnd, plain.replace(/[^a-z]+/g, '')].some((form) => COMMON.test(form)) ||
    (await isListed([plain, core, withoutEnd, spellOut(withoutEnd), spellOut(core)]))
  if (isGuessable) throw new Problem('weak_password', 'The password is too common.')
}

function spellOut(text: string): string {
  return text.replace(/[013457@$]/g, (sign) => STAND_INS[sign] ?? sign)
}

/** Whether one of the forms is on the list, once or repeated. */
async function isListed(forms: string[]): Promise<boolean> {
  listed ??= loadList()
  const list = await listed
  return forms.some((form) => list.has(form) || list.has(/^(.{3,}?)\1+$/s.exec(form)?.[1] ?? ''))
}
