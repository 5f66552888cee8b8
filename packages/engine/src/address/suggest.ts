import { distance } from 'fastest-levenshtein'
import { MISTAKEN_ENDINGS, MISTYPED_ENDINGS } from './data/endings.ts'
import { NEIGHBORS } from './data/keyboard.ts'
import { LOOK_ALIKES } from './data/look-alikes.ts'
import { MAIL_DOMAINS, type MailDomain } from './data/mail-domains.ts'
import { MISSPELLINGS } from './data/misspellings.ts'
import { type Address, parseAddress } from './parse.ts'

/**
 * The likely intended address if the domain looks like a typing error of a well-known one. Returns null in doubt: a wrong suggestion for
 * a correct address costs more than a missing one for a wrong address.
 */
export function suggest({ local, domain }: Address): string | null {
  if (domain.kind === 'literal') return null
  const meant = correct(domain.ascii)
  return meant === undefined ? null : `${local}@${meant}`
}

const WELL_KNOWN = new Set(MAIL_DOMAINS.flatMap(({ name, endings }) => endings.map((ending) => `${name}.${ending}`)))

const REAL = new Set([...WELL_KNOWN, ...LOOK_ALIKES])

const NAMES = new Set(MAIL_DOMAINS.map(({ name }) => name))

/** Shorter names are similar to too many others. */
const NAME_LENGTH_MIN = 5

/** From this length on, two errors still leave most of the name correct. */
const NAME_LENGTH_FOR_TWO = 7
const DOMAIN_LENGTH_FOR_TWO = 10

function correct(domain: string): string | undefined {
  if (REAL.has(domain)) return undefined
  const listed = find(MISSPELLINGS, domain)
  if (listed !== undefined) return listed

  const corrected = correctEnding(domain)
  const { name, ending } = corrected ?? splitName(domain)
  const whole = `${name}.${ending}`
  if (corrected !== undefined && REAL.has(whole)) return whole
  // The name is correct, so only the ending can be wrong. Most unknown endings are those of another country.
  if (NAMES.has(name)) return findUnderRightEnding(name, ending)
  return findNearest(name, ending) ?? (corrected && whole)
}

type Split = { name: string; ending: string }

function splitName(domain: string): Split {
  const dot = domain.indexOf('.')
  return { name: domain.slice(0, dot), ending: domain.slice(dot + 1) }
}

/** The domain with its last part corrected, if that part does not exist. */
function correctEnding(domain: string): Split | undefined {
  const labels = domain.split('.')
  for (const count of [2, 1]) {
    const ending = labels.length > count && find(MISTYPED_ENDINGS, labels.slice(-count).join('.'))
    if (ending) return { name: labels.slice(0, -count).join('.'), ending }
  }
  return undefined
}

function findUnderRightEnding(name: string, ending: string): string | undefined {
  const domain = `${name}.${find(MISTAKEN_ENDINGS, ending)}`
  return name.length >= NAME_LENGTH_MIN && WELL_KNOWN.has(domain) ? domain : undefined
}

/** The well-known domain with this ending and the most similar name; undefined if two are equally similar. */
function findNearest(name: string, ending: string): string | undefined {
  let nearest: string | undefined
  let least = 3
  for (const target of MAIL_DOMAINS) {
    if (!target.endings.includes(ending)) continue
    const slips = countSlips(name, target, ending)
    if (slips === least) nearest = undefined
    if (slips < least) {
      nearest = `${target.name}.${ending}`
      least = slips
    }
  }
  return nearest
}

/** The number of typing errors that turn the target's name into the typed one; three if there are too many. */
function countSlips(typed: string, { name, word }: MailDomain, ending: string): number {
  if (name.length < NAME_LENGTH_MIN || Math.abs(typed.length - name.length) > 1) return 3
  if (isSwap(typed, name)) return 1
  if (word) return isDoubling(typed, name) ? 1 : 3
  // The first letter is rarely mistyped, and another first letter makes another word: email, hmail, ymail.
  if (typed[0] !== name[0]) return 3

  const edits = distance(typed, name)
  if (edits < 2) return edits
  const mayHaveTwo = name.length >= NAME_LENGTH_FOR_TWO && name.length + 1 + ending.length >= DOMAIN_LENGTH_FOR_TWO
  return edits === 2 && mayHaveTwo && isTwoSlips(typed, name) ? 2 : 3
}

/** Two adjacent letters in the wrong order. */
function isSwap(typed: string, name: string): boolean {
  if (typed.length !== name.length) return false
  const at = [...name].findIndex((letter, index) => letter !== typed[index])
  return typed === `${name.slice(0, at)}${name[at + 1]}${name[at]}${name.slice(at + 2)}`
}

/** One letter typed twice. */
function isDoubling(typed: string, name: string): boolean {
  return [...name].some((letter, at) => typed === name.slice(0, at) + letter + name.slice(at))
}

/** Two likely typing errors: an extra, missing or transposed letter, or an adjacent key. */
function isTwoSlips(typed: string, name: string): boolean {
  if (typed.length === name.length) {
    const wrong = listDifferences(typed, name)
    return wrong.length > 2 || wrong.every(areAdjacent)
  }
  const [longer, shorter] = typed.length > name.length ? [typed, name] : [name, typed]
  return [...longer].some((_, at) => {
    const wrong = listDifferences(longer.slice(0, at) + longer.slice(at + 1), shorter)
    return wrong.length === 1 && wrong.every(areAdjacent)
  })
}

function listDifferences(one: string, other: string): string[] {
  return [...one].flatMap((letter, at) => (letter === other[at] ? [] : [`${letter}${other[at]}`]))
}

function areAdjacent([one = '', other = '']: string): boolean {
  return find(NEIGHBORS, one)?.includes(other) ?? false
}

/** A row of a table, without inherited properties of objects. */
function find(table: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}

/** One space in the local part and no other white space. */
const DECODED_PLUS = /^([^\s@]+) ([^\s@]+@[^\s@]+)$/

/**
 * The address of a query parameter in which a `+` was not encoded: in a query string it is decoded as a space (WHATWG URL Standard,
 * application/x-www-form-urlencoded), so `ada+x@…` arrives as `ada x@…`. Null if the text does not look like that.
 */
export function suggestDecodedPlus(email: string): string | null {
  const [, before, after] = DECODED_PLUS.exec(email.trim()) ?? []
  if (before === undefined) return null
  const address = parseAddress(`${before}+${after}`)
  return address.kind === 'address' ? (suggest(address) ?? address.text) : null
}
