import { parse as parseDomain } from 'tldts'
import { TEXT_UNITS_MAX } from './characters.ts'
import { findAddress } from './find-address.ts'
import { type Address, parseAddress } from './parse.ts'

/** Format characters (zero-width spaces, joiners, soft hyphens, direction marks, byte order marks) and variation selectors. */
const INVISIBLE = /\p{Cf}|\p{Variation_Selector}|[\u115f\u1160\u3164\uffa0]/gu
/** Full-width forms of ASCII (U+FF01 to U+FF5E), and the full stops of Chinese and Japanese. */
const FULL_WIDTH = /[\uff01-\uff5e]/g
const FULL_WIDTH_OFFSET = 0xfee0
const FULL_STOPS = /[\u3002\uff61]/g
const NOT_ASCII = /[^\p{ASCII}]/u
/** Spellings that keep an address from being collected by robots. */
const AT_WORD = /\(at\)|\[at\]|\{at\}/i
const DOT_WORD = /\(dot\)|\[dot\]|\{dot\}/i
/** Endings for documentation and tests (RFC 2606), which no public registry has. */
const RESERVED_ENDINGS = new Set(['example', 'test', 'invalid'])

/** The text without invisible characters, with ASCII in place of full-width characters. Every text that is typed by hand is unchanged. */
export function simplifyText(text: string): string {
  if (!NOT_ASCII.test(text)) return text
  return text
    .replace(INVISIBLE, '')
    .replace(FULL_WIDTH, (wide) => String.fromCharCode(wide.charCodeAt(0) - FULL_WIDTH_OFFSET))
    .replace(FULL_STOPS, '.')
}

/** Whether a text may have an address that is found only after a repair. */
export function mayNeedRepair(text: string): boolean {
  return text.includes('＠') || AT_WORD.test(text)
}

function mayContainAt(text: string): boolean {
  return text.includes('@') || mayNeedRepair(text)
}

/**
 * The address that a malformed text certainly means. Repairs what leaves no choice: invisible and full-width characters, white space around
 * the @, `(at)` and `(dot)`, a repeated @, and in the domain a comma or two dots in place of a dot. Other corrections are suggestions
 * (suggest.ts). Undefined for an address, and in doubt.
 */
export function repairAddress(text: string): { email: string; address: Address } | undefined {
  if (text.length > TEXT_UNITS_MAX || !mayContainAt(text) || parseAddress(text).kind === 'address') return undefined
  const joined = joinAround(joinAround(simplifyText(text), AT_WORD, '@'), '@', '@')
  const domain = joined.lastIndexOf('@') + 1
  const dotted = joined.slice(0, domain) + repairDomain(joined.slice(domain))
  // The search takes most of the time, and most malformed texts have nothing to repair.
  const found =
    (joined === text ? undefined : findAddress(joined)) ?? (dotted === joined ? undefined : findAddress(dotted))
  return found && withEnding(found)
}

/** Replaces a separator, repeated or not, together with the white space around it. A run at an end of the text is kept. */
function joinAround(text: string, separator: RegExp | string, by: string): string {
  const [first = '', ...others] = text.split(separator).map((part) => part.trim())
  const last = others.pop()
  return last === undefined ? text : [first, ...others.filter((part) => part !== ''), last].join(by)
}

function repairDomain(domain: string): string {
  const dotted = joinAround(joinAround(domain, DOT_WORD, '.'), /(?<=[^\s,])[,.](?=[^\s,])/, '.')
  return dotted
    .split('.')
    .filter((label) => label !== '')
    .join('.')
}

/** What was no address before the repair must not become `lunch@noon`. */
function withEnding(found: { email: string; address: Address }) {
  const { domain } = found.address
  if (domain.kind === 'literal') return undefined
  const { isIcann, publicSuffix } = parseDomain(domain.ascii)
  const isKnown = (isIcann || RESERVED_ENDINGS.has(publicSuffix ?? '')) && publicSuffix !== domain.ascii
  return isKnown ? found : undefined
}
