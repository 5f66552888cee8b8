import { CLOUD_SERVICES, PUBLIC_BLOCKS, SPECIAL_BLOCKS } from './data/special-addresses.ts'

/** The addresses that may be connected to, and the port. The process that starts a worker passes an object of this type. */
export type AddressPolicy = {
  port: number
  /** Whether a literal IPv4 or IPv6 address may be connected to. */
  allows(address: string): boolean
}

/** RFC 5321 §4.5.4.2: the port between mail servers. No other port of a mail host is used. */
const SMTP_PORT = 25

/**
 * Allows hosts on the public internet only: the owner of a domain chooses the addresses behind its MX records and could make us connect
 * to our own network. An IPv4-mapped address counts as its IPv4 address. Every other form that contains one (NAT64, 6to4, Teredo,
 * IPv4-compatible, SIIT) is forbidden, whatever address it contains.
 *
 * `alsoDenied` are addresses and CIDR blocks: our own public addresses, and the prefix of our NAT64 if it is network-specific (RFC 6052
 * §2.2), because it reaches all of IPv4, including our private networks. Webhooks use the same policy with their own port.
 */
export function publicInternet(alsoDenied: string[] = [], port = SMTP_PORT): AddressPolicy {
  const open = PUBLIC_BLOCKS.map(getBlock)
  const denied = [...SPECIAL_BLOCKS, ...CLOUD_SERVICES].map(({ block }) => getBlock(block))
  denied.push(...alsoDenied.map(getBlock))
  return {
    port,
    allows(text) {
      const address = readAddress(text)
      if (address === undefined) return false
      return open.some((block) => isWithin(address, block)) && !denied.some((block) => isWithin(address, block))
    },
  }
}

/** Throws for an invalid entry: ignoring it would allow addresses that the operator meant to deny. */
function getBlock(text: string): AddressBlock {
  const block = readBlock(text)
  if (block === undefined) throw new Error(`"${text}" is neither an IP address nor a CIDR range.`)
  return block
}

/** An IPv4 or IPv6 address in 16 bytes: IPv4 is the IPv4-mapped address ::ffff:a.b.c.d (RFC 4291 §2.5.5.2). */
export type AddressBytes = Uint8Array

/** All addresses that begin with the same bits. */
export type AddressBlock = { first: AddressBytes; bits: number }

/** The longest text of an address: IPv6 with its last four bytes in IPv4 notation. */
const TEXT_LENGTH_MAX = 45

const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]

/**
 * Parses the standard notations of an address. Notations that only `inet_aton` accepts (127.1, 0x7f.1, 2130706433, 0177.0.0.1) are
 * rejected, because parsers disagree on them. An address with a zone is rejected too: the zone names a local network interface.
 */
export function readAddress(text: string): AddressBytes | undefined {
  if (text.length > TEXT_LENGTH_MAX) return undefined
  const bytes = text.includes(':') ? readIpv6(text) : readIpv4(text)
  if (bytes === undefined) return undefined
  return Uint8Array.from(bytes.length === 4 ? [...MAPPED, ...bytes] : bytes)
}

/** Reads a block in CIDR notation, or a single address. */
export function readBlock(text: string): AddressBlock | undefined {
  const [address = '', length, ...more] = text.split('/')
  const first = readAddress(address)
  if (first === undefined || more.length > 0) return undefined
  if (length === undefined) return { first, bits: 128 }

  const bitsAhead = address.includes(':') ? 0 : 8 * MAPPED.length
  const bits = bitsAhead + Number(length)
  return /^(?:0|[1-9][0-9]{0,2})$/.test(length) && bits <= 128 ? { first, bits } : undefined
}

export function isWithin(address: AddressBytes, { first, bits }: AddressBlock): boolean {
  return first.every((byte, index) => {
    const bitsHere = Math.min(Math.max(bits - 8 * index, 0), 8)
    const mask = 0xff00 >> bitsHere
    return ((byte ^ (address[index] ?? 0)) & mask & 0xff) === 0
  })
}

function readIpv4(text: string): number[] | undefined {
  const parts = text.split('.')
  return parts.length === 4 && parts.every(isOctet) ? parts.map(Number) : undefined
}

/** Without leading zeros: parsers disagree on whether 010 is ten or eight (RFC 6943 §3.1.1). */
function isOctet(text: string): boolean {
  return /^(?:0|[1-9][0-9]{0,2})$/.test(text) && Number(text) <= 255
}

/** The forms of RFC 4291 §2.2. "::" replaces one group or more and occurs at most once. */
function readIpv6(text: string): number[] | undefined {
  const [before = '', after, ...more] = text.split('::')
  const head = readGroups(before)
  if (head === undefined || more.length > 0) return undefined
  if (after === undefined) return head.length === 16 ? head : undefined

  const tail = readGroups(after)
  // IPv4 notation is allowed only at the end of the address.
  if (tail === undefined || before.includes('.')) return undefined
  const missing = 16 - head.length - tail.length
  return missing >= 2 ? [...head, ...new Array<number>(missing).fill(0), ...tail] : undefined
}

function readGroups(text: string): number[] | undefined {
  if (text === '') return []
  const parts = text.split(':')
  const octets = parts.at(-1)?.includes('.') ? readIpv4(parts.pop() ?? '') : []
  if (octets === undefined || !parts.every((part) => /^[0-9a-f]{1,4}$/i.test(part))) return undefined
  const groups = parts.map((part) => Number.parseInt(part, 16))
  return [...groups.flatMap((group) => [group >> 8, group & 0xff]), ...octets]
}
