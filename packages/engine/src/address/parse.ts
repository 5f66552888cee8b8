import { type Fault, type FaultReason, fault, TEXT_UNITS_MAX } from './characters.ts'
import { type AddressLiteral, type DomainName, readAddressLiteral, readDomainName } from './domain-part.ts'
import { readLocalPart } from './local-part.ts'

export type Address = {
  kind: 'address'
  /** As given, in NFC, without surrounding white space. */
  text: string
  /** The local part as it is sent to the mail server: in NFC, quoted only where necessary. */
  local: string
  domain: Domain
  /** Whether `local` is in quotes. */
  quoted: boolean
  /** The local part is not ASCII: the server must offer SMTPUTF8. */
  needsUtf8: boolean
  /** The text after the first + of a local part without quotes. */
  tag: string | null
}

export type Domain = DomainName | AddressLiteral

/**
 * `at` is the UTF-16 offset in the trimmed text, in NFC. If a length limit is exceeded, it is the beginning of the part that is too long.
 */
export type Malformed = Fault

export type MalformedReason = FaultReason

/** RFC 5321 §4.5.3.1.3: a path has 256 octets, and the angle brackets around the address are two of them. */
const ADDRESS_OCTETS_MAX = 254

/**
 * Parses one bare address in the form of SMTP (RFC 5321 §4.1.2 and §4.1.3, RFC 6531 §3.3). Syntax that only message headers allow (RFC
 * 5322 §3.4: names, comments, white space) is rejected, because it is not part of an address.
 */
export function parseAddress(text: string): Address | Malformed {
  if (text.length > TEXT_UNITS_MAX) return fault('too_long', 0)

  // RFC 6532 §3.1: in NFC, so that both encodings of an accented letter are one address.
  const trimmed = text.trim().normalize('NFC')
  if (trimmed === '') return fault('empty', 0)
  if (!trimmed.includes('@')) return fault('no_at', trimmed.length)
  if (trimmed.endsWith('>') && trimmed.includes('<')) return fault('display_name', trimmed.indexOf('<'))
  return readParts(trimmed)
}

function readParts(text: string): Address | Malformed {
  const part = readLocalPart(text)
  if (part.kind === 'malformed') return part

  const from = part.end + 1
  const domain = text[from] === '[' ? readAddressLiteral(text, from) : readDomainName(text, from)
  if (domain.kind === 'malformed') return domain

  const { local, octets, quoted } = part
  if (octets + 1 + writeDomain(domain).length > ADDRESS_OCTETS_MAX) return fault('too_long', 0)
  const plus = quoted ? -1 : local.indexOf('+')
  return {
    kind: 'address',
    text,
    local,
    domain,
    quoted,
    needsUtf8: octets > local.length,
    tag: plus === -1 ? null : local.slice(plus + 1),
  }
}

/** The domain as written after the @ in an SMTP command. */
export function writeDomain(domain: DomainName | AddressLiteral): string {
  if (domain.kind === 'name') return domain.ascii
  return domain.family === 4 ? `[${domain.address}]` : `[IPv6:${domain.address}]`
}
