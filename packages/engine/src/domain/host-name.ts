import { toASCII } from 'tr46'
import { SPECIAL_USE } from './data/special-use.ts'

/** RFC 1035 §2.3.4, written without the last dot. */
const NAME_LENGTH_MAX = 253

/** Letters, digits and hyphens, which are not at the ends (RFC 1123 §2.1), up to 63 octets. */
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** What the ways of writing an IPv4 address down to a single number have in common: the last part is a number, maybe hexadecimal. */
const NUMBER = /^(?:\d+|0x[\da-f]*)$/

/**
 * Whether a name out of DNS can be that of a mail host on the internet. `localhost`, `redis`, `0` and `2130706433` come back from
 * DNS like any name, and programs that open connections take each of them for an address close to us.
 */
export function isMailHostName(name: string): boolean {
  const labels = name.split('.')
  const last = labels.at(-1) ?? ''
  return isName(name) && labels.length >= 2 && !NUMBER.test(last) && !SPECIAL_USE.has(last) && isIdna(name)
}

/** Whether DNS can be asked about it at all. The empty name is the root's, which exists and takes no mail. */
export function isName(name: string): boolean {
  return name.length <= NAME_LENGTH_MAX && name.split('.').every((label) => LABEL.test(label))
}

/** Labels that begin with `xn--` must be the encoding of something (RFC 5891 §5.4). */
function isIdna(name: string): boolean {
  if (!name.includes('xn--')) return true
  return toASCII(name, { checkBidi: true, checkJoiners: true, useSTD3ASCIIRules: true, verifyDNSLength: true }) === name
}
