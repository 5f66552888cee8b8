import { BOUNCE_CODES } from './data/bounce-codes.ts'

// An address of the internet has four numbers, so nothing that goes on with a dot and a number is a code.
const ENHANCED = /(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?!\.?\d)/
const PLAIN = /^\s*([2-5]\d\d)(?!\d|\.\d)/

/** Whether a bounce tells that the mailbox cannot be written to. `text` is its code, or the line that it came in. */
export function isMailboxBounce(text: string | undefined): boolean {
  if (text === undefined) return false
  const enhanced = ENHANCED.exec(text)
  const plain = PLAIN.exec(text)?.[1]
  // A reply that is for good by one code and for now by the other is no proof of anything.
  if (enhanced && plain && !plain.startsWith(enhanced[1] ?? '')) return false
  const code = enhanced ? enhanced.slice(1).map(Number).join('.') : plain
  return code !== undefined && BOUNCE_CODES.find((row) => fits(row.code, code))?.counts === true
}

function fits(pattern: string, code: string): boolean {
  const [wanted, given] = [partsOf(pattern), partsOf(code)]
  return pattern.includes('.') === code.includes('.') && wanted.every((part, n) => part === 'x' || part === given[n])
}

/** Three numbers of an enhanced code, three digits of a plain one. */
function partsOf(code: string): string[] {
  return code.includes('.') ? code.split('.') : [...code]
}
