import { parseAddress, writeDomain } from './parse.ts'

/** The parse result of a text, for tables: the address as it is sent, or the reason why it is malformed. */
export function outcomeOf(text: string): string {
  const address = parseAddress(text)
  return address.kind === 'malformed' ? address.reason : `${address.local}@${writeDomain(address.domain)}`
}
