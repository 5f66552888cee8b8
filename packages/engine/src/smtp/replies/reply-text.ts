import { isIP } from 'node:net'
import { shorten } from '@probity/contract/constants/text'
import type { Reply, Stage } from '../protocol/reply-reader.ts'

/** One thing a server said, its words without anybody's address. */
export type TranscriptEntry = { stage: Stage | 'control'; code: number; enhanced: string | null; text: string }

const KEY_LENGTH_MAX = 200
const READ_LENGTH_MAX = 1_000

/** Shorter names are words like any other: leaving them out would leave holes in every sentence. */
const NAME_LENGTH_MIN = 3

/**
 * A reply without what differs from one asking to the next, so that equal refusals are equal texts. Holds no e-mail address; give
 * the recipient, and its bare name is left out as well.
 */
export function normalizeReply(reply: Reply, recipient = ''): string {
  const text = cleanText(textOf(reply), recipient)
    .replaceAll(/https?:\/\/[^\s<>"]+/g, '<url>')
    .replaceAll(/[^\s<>()[\]"',;]+/g, nameWord)
  return `${reply.code} ${reply.enhanced ?? '-'} ${text}`.slice(0, KEY_LENGTH_MAX).trimEnd()
}

/** The server's words for a customer's eyes, without anybody's e-mail address. */
export function cleanText(text: string, recipient = ''): string {
  const cleaned = withoutName(withoutAddresses(text, recipient, '<address>'), recipient, '<address>')
  return cleaned.replaceAll('<<address>>', '<address>') // servers like to put brackets around it themselves
}

/** All lines as one text in lower case, cut where nobody says anything new. */
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

/** Word by word, since a pattern that looks for the `@` from every letter on would take the square of the length. */
export function withoutAddresses(text: string, recipient: string, by: string): string {
  if (!text.includes('@')) return text
  return replaceWhole(text, recipient, by)
    .replaceAll(/"[^"@]{0,64}"@/g, '@')
    .replaceAll(/[^\s<>()[\],;:"]+/g, (word) => (word.includes('@') ? by : word))
}

/** Leaves out the recipient's name where it stands alone, with its tag or without. */
export function withoutName(text: string, recipient: string, by: string): string {
  const local = recipient.slice(0, Math.max(recipient.lastIndexOf('@'), 0))
  const name = local.replace(/^"(.*)"$/s, '$1')
  const [untagged = name] = name.split('+', 1)
  const rest = name.length < NAME_LENGTH_MIN ? text : replaceWhole(text, name, by)
  return untagged === name || untagged.length < NAME_LENGTH_MIN ? rest : replaceWhole(rest, untagged, by)
}

/** Leaves out the recipient's domain and every host name below it. */
export function withoutDomain(text: string, recipient: string, by: string): string {
  const domain = recipient.slice(recipient.lastIndexOf('@') + 1).toLowerCase()
  if (domain === '' || !text.includes(domain)) return text
  return text.replaceAll(/[\p{L}\p{N}_.-]+/gu, (word) => {
    const host = word.replace(/\.$/, '')
    return host === domain || host.endsWith(`.${domain}`) ? by : word
  })
}

/** Replaces a word, in whatever case, where no letter or digit touches it. */
function replaceWhole(text: string, word: string, by: string): string {
  const wanted = word.toLowerCase()
  const lower = text.toLowerCase()
  if (wanted === '' || !lower.includes(wanted)) return text
  // A few letters are longer in lower case, and then places in one are not places in the other.
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

/** What kind of thing a word is, if it is one that changes from reply to reply. */
function nameWord(word: string): string {
  const bare = word.replace(/[.:!?]+$/, '')
  const rest = word.slice(bare.length)
  if (!/[\d.:]/.test(bare)) return word
  if (isIP(bare) !== 0) return `<ip>${rest}`
  if (/^[a-z0-9_.-]*\.[a-z]{2,}$/.test(bare)) return `<host>${rest}`
  return `${nameDigits(bare)}${rest}`
}

/** Codes such as `s3150`, `tss04` or `5.7.1` are what a reply is about; other words with digits are ids, times and counts. */
function nameDigits(word: string): string {
  if (!/\d/.test(word) || /^[a-z]+[_:-]?\d{1,4}$|^[45]\.\d{1,3}\.\d{1,3}$/.test(word)) return word
  return /^\d+$/.test(word) ? '<n>' : '<id>'
}

/** Twice the longest reply in our rules. Without a limit an attacker's server would have its 64 KiB stored with every result. */
const EVIDENCE_TEXT_LENGTH_MAX = 500

/** A reply as evidence: the server's text without email addresses, shortened after that so that no half of one is left. */
export function toTranscriptEntry(
  stage: TranscriptEntry['stage'],
  { code, enhanced, lines }: Reply,
  recipient?: string,
): TranscriptEntry {
  return { stage, code, enhanced, text: shorten(cleanText(lines.join(' '), recipient), EVIDENCE_TEXT_LENGTH_MAX) }
}
