import type { AddressLiteral } from './address-literal.ts'
import type { DomainName } from './domain-name.ts'

/** A domain as it stands after the @ in an SMTP command. */
export function writeDomain(domain: DomainName | AddressLiteral): string {
  if (domain.kind === 'name') return domain.ascii
  return domain.family === 4 ? `[${domain.address}]` : `[IPv6:${domain.address}]`
}
