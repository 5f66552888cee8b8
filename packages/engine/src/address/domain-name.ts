import { DOT, type Fault, type FaultReason, fault, HYPHEN, isLabelCharacter, reasonAgainst } from './characters.ts'
import { LABEL_UNITS_MAX, toIdnaNames, WIDE_DOTS } from './idna.ts'

/** `ascii` is in lower-case A-labels, `unicode` is for people. */
export type DomainName = { kind: 'name'; ascii: string; unicode: string }

/** RFC 1035 §2.3.4: 255 octets with a length before each label and a zero at the end, so 253 as text. */
const DOMAIN_LENGTH_MAX = 253

const LABEL_LENGTH_MAX = 63

/** Joiners belong to some scripts' spelling; UTS 46 looks at what stands around them. */
const JOINERS = [0x200c, 0x200d]

/** Reads a domain from the character after the @ to the end (RFC 5321 §4.1.2, RFC 6531 §3.3). */
export function readDomainName(text: string, from: number): DomainName | Fault {
  const script = scanLabels(text, from)
  if (typeof script === 'object') return script

  const typed = text.slice(from)
  if (typed.length > 2 * DOMAIN_LENGTH_MAX) return fault('domain_too_long', from)
  const lower = typed.toLowerCase()
  const names = script === 'ascii' && !hasALabel(lower) ? { ascii: lower, unicode: lower } : toIdnaNames(typed)
  if (typeof names === 'string') return fault(names, from)

  const refusal = judgeLabels(names.ascii)
  // What came out of another script has other places than what was typed.
  if (refusal) return fault(refusal.reason, script === 'ascii' ? from + refusal.offset : from)
  return { kind: 'name', ...names }
}

/** Which characters there are, and that there is something between the dots. */
function scanLabels(text: string, from: number): 'ascii' | 'international' | Fault {
  let script: 'ascii' | 'international' = 'ascii'
  let labelStart = from
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (isLabelCharacter(code)) continue
    if (code > 0x7f) script = 'international'
    if (isDot(code)) {
      if (at === labelStart) return fault('label_empty', at)
      if (at - labelStart > LABEL_UNITS_MAX) return fault('label_too_long', labelStart)
      labelStart = at + 1
      continue
    }
    const point = text.codePointAt(at) ?? code
    const reason = JOINERS.includes(point) ? undefined : reasonAgainst(point)
    if (reason !== undefined) return fault(reason, at)
    if (point > 0xffff) at += 1
  }
  if (from === text.length) return fault('domain_empty', from)
  // RFC 5321 §4.1.2 has no dot at the end: a domain in mail is always complete.
  if (labelStart === text.length) return fault('trailing_dot', labelStart - 1)
  return text.length - labelStart > LABEL_UNITS_MAX ? fault('label_too_long', labelStart) : script
}

function isDot(code: number): boolean {
  return code === DOT || (code > 0x7f && WIDE_DOTS.includes(String.fromCharCode(code)))
}

function hasALabel(lower: string): boolean {
  return lower.startsWith('xn--') || lower.includes('.xn--')
}

function judgeLabels(ascii: string): { reason: FaultReason; offset: number } | undefined {
  if (ascii.length > DOMAIN_LENGTH_MAX) return { reason: 'domain_too_long', offset: 0 }

  let start = 0
  for (;;) {
    const dot = ascii.indexOf('.', start)
    const reason = judgeLabel(ascii, start, dot === -1 ? ascii.length : dot)
    if (reason !== undefined) return { reason, offset: start }
    if (dot === -1) break
    start = dot + 1
  }
  if (start === 0) return { reason: 'single_label', offset: 0 }
  // RFC 3696 §2: no top-level domain is a number, so that a domain cannot be taken for an IPv4 address.
  return /^[0-9]+$/.test(ascii.slice(start)) ? { reason: 'numeric_tld', offset: start } : undefined
}

/** RFC 5321 §4.1.2 for both ends; RFC 5890 §2.3.1 reserves hyphens in third and fourth place for prefixes such as xn--. */
function judgeLabel(ascii: string, start: number, end: number): FaultReason | undefined {
  if (end - start > LABEL_LENGTH_MAX) return 'label_too_long'
  if (ascii.charCodeAt(start) === HYPHEN || ascii.charCodeAt(end - 1) === HYPHEN) return 'label_hyphen'
  return ascii.startsWith('--', start + 2) && !ascii.startsWith('xn--', start) ? 'label_hyphen' : undefined
}
