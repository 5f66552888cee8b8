import { toASCII } from 'tr46'
import { SPECIAL_USE } from './data/special-use.ts'

/** RFC 1035 §2.3.4, written without the last dot. */
const NAME_LENGTH_MAX = 253

/** Letters, digits and inner hyphens, up to 63 octets (RFC 1123 §2.1). */
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** The last part of every spelling of an IPv4 address, down to a single number: decimal or hexadecimal. */
const NUMBER = /^(?:\d+|0x[\da-f]*)$/

/**
 * Whether a name from DNS can be that of a mail host on the internet. DNS can return `localhost`, `redis`, `0` and `2130706433` like
 * any name, and a connection to one of them would reach this host or its network.
 */
export function isMailHostName(name: string): boolean {
  const labels = name.split('.')
  const last = labels.at(-1) ?? ''
  return isName(name) && labels.length >= 2 && !NUMBER.test(last) && !SPECIAL_USE.has(last) && isIdna(name)
}

/** Whether the name can be queried. The empty name is the root, which exists and does not accept mail. */
export function isName(name: string): boolean {
  return name.length <= NAME_LENGTH_MAX && name.split('.').every((label) => LABEL.test(label))
}

/** Labels that begin with `xn--` must be a valid encoding (RFC 5891 §5.4). */
function isIdna(name: string): boolean {
  if (!name.includes('xn--')) return true
  return toASCII(name, { checkBidi: true, checkJoiners: true, useSTD3ASCIIRules: true, verifyDNSLength: true }) === name
}
