import { KEY_PATTERN } from './keys.ts'

/**
 * Finds addresses in cells and pasted text. Whether a text found here is a valid address is for the engine's parser to decide;
 * a text that the parser accepts as a whole must not be passed through these functions.
 */

/** No address with a display name comes near this length. It bounds the work for one part of a text. */
const PART_UNITS_MAX = 1024
/** A text is one address, or a few. The rest of it is not searched. */
const PARTS_MAX = 10
/** Maximum nesting of brackets and quotation marks. */
const NESTED_MAX = 4

/** Quoted strings and bracketed parts are matched first, so that a separator inside them separates nothing. */
const PARTS = /"[^"]*"|<[^<>]*>|([\t\r\n]|[,;](?=\s|$|[^\s,;]*@))/g

/** An address after a display name (RFC 5322 §3.4), and its forms in round and square brackets. */
const BRACKETED = [/<([^<>]*)>/g, /(?:^|\s)[([]([^()[\]\s]*)[)\]](?=[\s.,;:!?]|$)/g]
const HAS_AT = /@|%40/

const TRAILING_COMMENT = /\s\([^()]*\)$/
const PUNCTUATION = '.,;:!?'
const PAIRS = ['""', "''", '()', '[]', '<>', '“”', '‘’', '«»']
const MAILTO = /^mailto:\s*(?:\/\/)?/i
const LABEL = /^(?:smtp|e-?mail):\s*/i

/** An @ between two characters. Addresses with a syntax error have it too. */
const ADDRESS_LIKE = /[^\s@]@+[^\s@]/
const PERCENT_ENCODED = /%40/

/**
 * The addresses that a cell consists of, without display names, brackets, `mailto:` and punctuation around them. Free text is not
 * searched: of `ada lovelace@example.com`, `lovelace@example.com` may be the address of another person.
 */
export function unwrapAddresses(text: string): string[] {
  return splitParts(text, isTypo).filter(isWorthReading).slice(0, PARTS_MAX).flatMap(unwrapPart)
}

/** The parts of a cell, of which each has one address, an address with a display name, or other text. */
export function splitCell(text: string): string[] {
  return splitParts(text, isTypo)
}

/** Whether a text contains something that is meant as an address, with or without a syntax error. */
export function containsAddressLike(text: string): boolean {
  return ADDRESS_LIKE.test(text) && text.split(/\s+/).some(isAddressLike)
}

/** The addresses in a text, including those in free text. */
export function findAddresses(text: string): string[] {
  const parts = splitParts(text, () => false).filter(isWorthReading)
  return parts.flatMap((part) => {
    const unwrapped = unwrapPart(part)
    if (unwrapped.length > 0) return unwrapped
    return part
      .split(/[\s<>]+/)
      .map(unwrapWord)
      .filter(isAddressLike)
  })
}

/** Of `ada,lovelace@example.com`, where a period was meant, `lovelace@example.com` may be the address of another person. */
function isTypo(before: string, separator: string, after: string): boolean {
  return /[,;]/.test(separator) && /^\S/.test(after) && !HAS_AT.test(before)
}

/** Splits at line breaks and tabs, and at commas and semicolons that are not part of a broken address (`ada@example,com`). */
function splitParts(text: string, isPart: typeof isTypo): string[] {
  const parts: string[] = []
  let from = 0
  for (const match of text.matchAll(PARTS)) {
    const [, separator] = match
    if (separator === undefined) continue
    if (isPart(text.slice(from, match.index), separator, text.slice(match.index + 1, match.index + 2))) continue
    parts.push(text.slice(from, match.index))
    from = match.index + 1
  }
  parts.push(text.slice(from))
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

function isWorthReading(part: string): boolean {
  return part.length <= PART_UNITS_MAX && (ADDRESS_LIKE.test(part) || PERCENT_ENCODED.test(part))
}

/** The addresses of one part of a cell; see unwrapAddresses. */
export function unwrapPart(part: string): string[] {
  if (!isWorthReading(part)) return []
  for (const pattern of BRACKETED) {
    const bracketed = [...part.matchAll(pattern)]
      .map(([, inside = '']) => inside)
      .filter((inside) => HAS_AT.test(inside))
    if (bracketed.length > 0) return bracketed.map(unwrapWord).filter(isAddressLike)
  }
  const word = unwrapWord(part.replace(TRAILING_COMMENT, ''))
  return isAddressLike(word) && isOneWord(word) ? [word] : []
}

/** White space is part of an address only inside a quoted local part (RFC 5321 §4.1.2). */
function isOneWord(word: string): boolean {
  return !/[\s<>]/.test(word.replace(/^"[^"]*"@/, ''))
}

function isAddressLike(word: string): boolean {
  return ADDRESS_LIKE.test(word) && !word.includes('://')
}

function unwrapWord(word: string): string {
  const bare = stripAround(word)
  if (MAILTO.test(bare)) return readMailto(bare.replace(MAILTO, ''))
  return bare.replace(LABEL, '')
}

function stripAround(word: string): string {
  let bare = word.trim()
  for (let n = 0; n < NESTED_MAX; n++) {
    const shorter = stripStray(stripPair(stripPunctuation(bare))).trim()
    if (shorter === bare) break
    bare = shorter
  }
  return bare
}

function stripPunctuation(word: string): string {
  let end = word.length
  while (end > 0 && PUNCTUATION.includes(word.charAt(end - 1))) end--
  return word.slice(0, end).trimEnd()
}

function stripPair(word: string): string {
  const isPair = word.length > 1 && PAIRS.includes(`${word[0]}${word.at(-1)}`)
  return isPair ? word.slice(1, -1) : word
}

/** A bracket or quotation mark without its counterpart. */
function stripStray(word: string): string {
  const isStrayQuote = word.startsWith('"') && word.indexOf('"', 1) === -1
  const first = isStrayQuote || /^[<([]/.test(word) ? word.slice(1) : word
  const isStrayEnd = /[>)]$/.test(first) || (first.endsWith('"') && first.indexOf('"') === first.length - 1)
  return isStrayEnd ? first.slice(0, -1) : first
}

/** RFC 6068 §2: header fields follow a question mark, further recipients a comma, and the address may be percent-encoded. */
function readMailto(recipients: string): string {
  const [first = ''] = recipients.split(/[?,]/, 1)
  try {
    return decodeURIComponent(first).trim()
  } catch {
    return first // not percent-encoded: a % of its own
  }
}

/** Marks truncated text, so that readers do not take it for the whole. */
export const SHORTENED = '[shortened]'

/** The text, or its beginning followed by the mark; never longer than `lengthMax`, which must leave room for the mark. */
export function shorten(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text
  // Half of a surrogate pair is not text.
  const start = text.slice(0, lengthMax - SHORTENED.length - 1).replace(/[\ud800-\udbff]$/, '')
  return `${start.trimEnd()} ${SHORTENED}`
}

/**
 * Removes API keys, other secrets and email addresses from a text, for logs. A second safeguard: fields that are known to hold one are not
 * logged.
 */
export function withoutSecrets(line: string): string {
  return withoutAddresses(
    line.replace(KEY_PATTERN, '[key]').replace(WEBHOOK_SECRET, '[secret]').replace(STRIPE_KEY, '[secret]'),
  )
}

/** Standard Webhooks: this prefix, and the base64 of 24 bytes or more. */
const WEBHOOK_SECRET = /whsec_[A-Za-z0-9+/]{30,}={0,2}/g

/** Gives access to the operator's Stripe account. */
const STRIPE_KEY = /\b[sr]k_(live|test)_[A-Za-z0-9]{8,}/g

const LOCAL_PART_MAX = 320
const DOMAIN_MAX = 255
/** Word boundaries in prose and in JSON. */
const BOUNDARY = new Set(` \t\r\n"'<>@\\,;:(){}[]`)
/** Package paths in stack traces contain names@versions and @scopes, which are not addresses. */
const PACKAGE_PATH = /node_modules\S*$/
const PACKAGE_PATH_MAX = 400

// Not a regular expression: from each @ in both directions it takes a bounded number of steps, whatever the line.
function withoutAddresses(line: string): string {
  let clean = ''
  let kept = 0
  for (let at = line.indexOf('@'); at >= 0; at = line.indexOf('@', at + 1)) {
    const from = Math.max(kept, startOfLocalPart(line, at))
    const to = endOfDomain(line, at)
    if (from === at || to === at + 1 || PACKAGE_PATH.test(line.slice(Math.max(0, at - PACKAGE_PATH_MAX), at))) continue
    clean += `${line.slice(kept, from)}[address]`
    kept = to
  }
  return clean + line.slice(kept)
}

function startOfLocalPart(line: string, at: number): number {
  const floor = Math.max(0, at - LOCAL_PART_MAX)
  // A quoted local part may contain any character, so everything within reach before the @ is removed.
  if (line[at - 1] === '"') return floor
  let from = at
  while (from > floor && !BOUNDARY.has(line.charAt(from - 1))) from--
  return from
}

function endOfDomain(line: string, at: number): number {
  let to = at + 1
  while (to < line.length && to <= at + DOMAIN_MAX && !BOUNDARY.has(line.charAt(to))) to++
  return to
}
