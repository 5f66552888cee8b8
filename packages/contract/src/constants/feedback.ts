import { BOUNCE_CODES } from './data/bounce-codes.ts'

// An IPv4 address has four numbers, so a match that continues with a dot and a number is not a code.
const ENHANCED = /(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?!\.?\d)/
const PLAIN = /^\s*([2-5]\d\d)(?!\d|\.\d)/

/** Whether a bounce shows that the mailbox cannot receive mail. `text` is the code, or the reply line that contains it. */
export function isMailboxBounce(text: string | undefined): boolean {
  if (text === undefined) return false
  const enhanced = ENHANCED.exec(text)
  const plain = PLAIN.exec(text)?.[1]
  // A reply with a permanent and a temporary code is inconclusive.
  if (enhanced && plain && !plain.startsWith(enhanced[1] ?? '')) return false
  const code = enhanced ? enhanced.slice(1).map(Number).join('.') : plain
  return code !== undefined && BOUNCE_CODES.find((row) => fits(row.code, code))?.counts === true
}

function fits(pattern: string, code: string): boolean {
  const [wanted, given] = [partsOf(pattern), partsOf(code)]
  return pattern.includes('.') === code.includes('.') && wanted.every((part, n) => part === 'x' || part === given[n])
}

/** The three numbers of an enhanced code, or the three digits of a basic one. */
function partsOf(code: string): string[] {
  return code.includes('.') ? code.split('.') : [...code]
}
