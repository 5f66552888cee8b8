import { isIP } from 'node:net'
import { shorten } from '@probity/contract/constants/text'
import type { Reply, Stage } from '../protocol/reply-reader.ts'

/** One reply of a server, without email addresses. `repeated`: to a recipient that it had accepted before. */
export type TranscriptEntry = {
  stage: Stage | 'control' | 'repeated'
  code: number
  enhanced: string | null
  text: string
}

const KEY_LENGTH_MAX = 200
const READ_LENGTH_MAX = 1_000

/** Shorter names are also ordinary words: removing them would damage many texts. */
const NAME_LENGTH_MIN = 3

/**
 * A reply without the parts that differ between requests, so that equal rejections have equal texts. It contains no email address; with
 * `recipient`, its bare name is removed too.
 */
export function normalizeReply(reply: Reply, recipient = ''): string {
  const text = cleanText(textOf(reply), recipient)
    .replaceAll(/https?:\/\/[^\s<>"]+/g, '<url>')
    .replaceAll(/[^\s<>()[\]"',;]+/g, nameWord)
  return `${reply.code} ${reply.enhanced ?? '-'} ${text}`.slice(0, KEY_LENGTH_MAX).trimEnd()
}

/** A server's text for customers, without email addresses. */
export function cleanText(text: string, recipient = ''): string {
  const cleaned = withoutName(withoutAddresses(text, recipient, '<address>'), recipient, '<address>')
  return cleaned.replaceAll('<<address>>', '<address>') // the server's text often has its own brackets
}

/** All lines as one text in lower case, limited to the part that is classified. */
export function textOf(reply: Reply): string {
  let text = ''
  for (const line of reply.lines) {
    if (text.length > READ_LENGTH_MAX) break
    text = text === '' ? line : `${text} ${line}`
  }
  return text
    .replaceAll(/\s{2,}/g, ' ')
    .slice(0, READ_LENGTH_MAX)
    .toLowerCase()
}

/** Word by word, because a pattern that searches the `@` from every letter would take quadratic time. */
export function withoutAddresses(text: string, recipient: string, by: string): string {
  if (!text.includes('@')) return text
  return replaceWhole(text, recipient, by)
    .replaceAll(/"[^"@]{0,64}"@/g, '@')
    .replaceAll(/[^\s<>()[\],;:"]+/g, (word) => (word.includes('@') ? by : word))
}

/** Replaces the recipient's name as a whole word, with and without its tag. */
export function withoutName(text: string, recipient: string, by: string): string {
  const local = recipient.slice(0, Math.max(recipient.lastIndexOf('@'), 0))
  const name = local.replace(/^"(.*)"$/s, '$1')
  const [untagged = name] = name.split('+', 1)
  const rest = name.length < NAME_LENGTH_MIN ? text : replaceWhole(text, name, by)
  return untagged === name || untagged.length < NAME_LENGTH_MIN ? rest : replaceWhole(rest, untagged, by)
}

/** Replaces the recipient's domain and every host name below it. */
export function withoutDomain(text: string, recipient: string, by: string): string {
  const domain = recipient.slice(recipient.lastIndexOf('@') + 1).toLowerCase()
  if (domain === '' || !text.includes(domain)) return text
  return text.replaceAll(/[\p{L}\p{N}_.-]+/gu, (word) => {
    const host = word.replace(/\.$/, '')
    return host === domain || host.endsWith(`.${domain}`) ? by : word
  })
}

/** Replaces a word in any case, unless a letter or digit is adjacent to it. */
function replaceWhole(text: string, word: string, by: string): string {
  const wanted = word.toLowerCase()
  const lower = text.toLowerCase()
  if (wanted === '' || !lower.includes(wanted)) return text
  // A few letters are longer in lower case, so positions in the two texts would differ.
  const said = lower.length === text.length ? text : lower

  let [result, done] = ['', 0]
  for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, at + wanted.length)) {
    const end = at + wanted.length
    if (isLetter(lower.charAt(at - 1)) || isLetter(lower.charAt(end))) continue
    result += said.slice(done, at) + by
    done = end
  }
  return result + said.slice(done)
}

function isLetter(character: string): boolean {
  return /[\p{L}\p{N}]/u.test(character)
}

/** Whether the text is about an IP address, with or without its digits. */
export function namesIpAddress(text: string): boolean {
  if (/\bip\b/.test(text)) return true
  return text.split(/[^\da-f.:]+/).some((part) => isIP(part.replaceAll(/^:|[.:]$/g, '')) !== 0)
}

/** A placeholder for a word that differs between replies; other words are returned unchanged. */
function nameWord(word: string): string {
  const bare = word.replace(/(?<![.:!?])[.:!?]+$/, '')
  const rest = word.slice(bare.length)
  if (!/[\d.:]/.test(bare)) return word
  if (isIP(bare) !== 0) return `<ip>${rest}`
  if (/^[a-z0-9_.-]*\.[a-z]{2,}$/.test(bare)) return `<host>${rest}`
  return `${nameDigits(bare)}${rest}`
}

/** Codes such as `s3150`, `tss04` or `5.7.1` carry the meaning; other words with digits are ids, times and counts. */
function nameDigits(word: string): string {
  if (!/\d/.test(word) || /^[a-z]+[_:-]?\d{1,4}$|^[45]\.\d{1,3}\.\d{1,3}$/.test(word)) return word
  return /^\d+$/.test(word) ? '<n>' : '<id>'
}

/** Twice the longest reply in our rules. Without a limit, an attacker's server could store 64 KiB with every result. */
const EVIDENCE_TEXT_LENGTH_MAX = 500

/** A reply as evidence: the server's text without email addresses, shortened after their removal so that no part of one remains. */
export function toTranscriptEntry(
  stage: TranscriptEntry['stage'],
  { code, enhanced, lines }: Reply,
  recipient?: string,
): TranscriptEntry {
  return { stage, code, enhanced, text: shorten(cleanText(lines.join(' '), recipient), EVIDENCE_TEXT_LENGTH_MAX) }
}
