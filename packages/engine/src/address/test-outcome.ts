import { parseAddress, writeDomain } from './parse.ts'

/** What becomes of a text, in one word for a table: the address as it is sent, or the reason why it is none. */
export function outcomeOf(text: string): string {
  const address = parseAddress(text)
  return address.kind === 'malformed' ? address.reason : `${address.local}@${writeDomain(address.domain)}`
}
