import { queryDns } from '@probity/engine/domain/query'
import type { MailDns } from '@probity/engine/domain/resolver'
import type { ConnectivityCheck } from '@probity/engine/smtp/probe/connectivity-check'
import type { Egress } from '@probity/engine/smtp/protocol/dial'

/** An egress with its public IP address and the source of that address; undefined if unknown. */
export type EgressAddress = {
  egress: Egress
  reached: ConnectivityCheck[]
  address: string | undefined
  known: 'told' | 'set' | 'assumed' | undefined
}

type IsPublic = (address: string) => boolean

/**
 * Finds the egress IP from mail servers and DNS only. Large providers return the client address in their EHLO reply; otherwise the
 * configured address is used if it is public, and as a last resort the address of the HELO name, marked as assumed.
 */
export async function findAddress(
  egress: Egress,
  reached: ConnectivityCheck[],
  dns: MailDns,
  isPublic: IsPublic,
): Promise<EgressAddress> {
  const told = reached.flatMap(({ connectivity }) =>
    connectivity.kind === 'reached' ? listAddresses(connectivity.hello) : [],
  )
  const seen = told.find(isPublic)
  if (seen !== undefined) return { egress, reached, address: seen, known: 'told' }
  const { localAddress, socks5 } = egress
  if (localAddress !== undefined && socks5 === undefined && isPublic(localAddress)) {
    return { egress, reached, address: localAddress, known: 'set' }
  }
  const answer = await queryDns(dns.resolve4(egress.heloName))
  const assumed = answer.kind === 'records' ? answer.records.find(isPublic) : undefined
  return { egress, reached, address: assumed, known: assumed === undefined ? undefined : 'assumed' }
}

/** IPv4 and IPv6 addresses in a text, as in "mx.google.com at your service, [192.0.2.7]". */
function listAddresses(text: string): string[] {
  return text.match(/(?<![0-9.])\d{1,3}(\.\d{1,3}){3}(?![0-9.])|(?<=\[(?:IPv6:)?)[0-9a-f:]{6,39}(?=\])/gi) ?? []
}
