import { type Fault, fault } from './characters.ts'

/** `address` is the canonical text of the IP address, without brackets or tag. */
export type AddressLiteral = { kind: 'literal'; family: 4 | 6; address: string }

/** The longest text an IPv6 address can have, with its last four octets written like an IPv4 address. */
const IP_LENGTH_MAX = 45

const IPV6_TAG = 'ipv6:'

/** RFC 5321 §4.1.3, from the opening bracket on. No tag but IPv6 is registered, so there are no general literals. */
export function readAddressLiteral(text: string, from: number): AddressLiteral | Fault {
  const inside = text.slice(from + 1, -1)
  if (!text.endsWith(']') || inside.length > IPV6_TAG.length + IP_LENGTH_MAX) return fault('bad_literal', from)

  if (inside.slice(0, IPV6_TAG.length).toLowerCase() !== IPV6_TAG) {
    const octets = readIpv4(inside)
    return octets === undefined ? fault('bad_literal', from) : { kind: 'literal', family: 4, address: octets.join('.') }
  }
  const groups = readIpv6(inside.slice(IPV6_TAG.length))
  return groups === undefined ? fault('bad_literal', from) : { kind: 'literal', family: 6, address: writeIpv6(groups) }
}

function readIpv4(text: string): number[] | undefined {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every(isOctet)) return undefined
  return parts.map(Number)
}

/** The grammar has room for 010, but readers disagree on whether that is ten or eight (RFC 6943 §3.1.1). We refuse it. */
function isOctet(text: string): boolean {
  return /^(?:0|[1-9][0-9]{0,2})$/.test(text) && Number(text) <= 255
}

/** The eight groups of an address in one of the forms of RFC 5321 §4.1.3. */
function readIpv6(text: string): number[] | undefined {
  const halves = text.split('::')
  const [before, after] = halves.map(readGroups)
  if (before === undefined) return undefined
  if (halves.length === 1) return before.length === 8 ? before : undefined

  // "::" stands for at least two groups, and there is one of it. An IPv4 tail can only be at the end of the whole.
  if (halves.length > 2 || after === undefined || halves[0]?.includes('.')) return undefined
  const missing = 8 - before.length - after.length
  return missing >= 2 ? [...before, ...new Array<number>(missing).fill(0), ...after] : undefined
}

function readGroups(text: string): number[] | undefined {
  if (text === '') return []
  const parts = text.split(':')
  const tail = parts.at(-1)?.includes('.') ? readIpv4(parts.pop() ?? '') : []
  if (tail === undefined || !parts.every((part) => /^[0-9a-f]{1,4}$/i.test(part))) return undefined
  const [a = 0, b = 0, c = 0, d = 0] = tail
  const groups = parts.map((part) => Number.parseInt(part, 16))
  return tail.length === 0 ? groups : [...groups, a * 256 + b, c * 256 + d]
}

/** RFC 5952 §4 and §5: no leading zeros, lower case, the longest run of zeros as "::", mapped IPv4 with dots. */
function writeIpv6(groups: number[]): string {
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    const octets = groups.slice(6).flatMap((group) => [group >> 8, group & 0xff])
    return `::ffff:${octets.join('.')}`
  }
  const { start, length } = findLongestZeros(groups)
  const texts = groups.map((group) => group.toString(16))
  if (length < 2) return texts.join(':')
  return `${texts.slice(0, start).join(':')}::${texts.slice(start + length).join(':')}`
}

/** The first of the longest runs of zero groups. */
function findLongestZeros(groups: number[]): { start: number; length: number } {
  let longest = { start: 0, length: 0 }
  let start = 0
  for (const [index, group] of groups.entries()) {
    if (group !== 0) start = index + 1
    else if (index + 1 - start > longest.length) longest = { start, length: index + 1 - start }
  }
  return longest
}
