import { ask } from '@probity/engine/domain/ask'
import type { MailDns } from '@probity/engine/domain/resolver'
import type { Egress } from '@probity/engine/mailbox/egress'
import type { Reached } from '@probity/engine/mailbox/reach'

/** A way out with the address that the world sees it by, and how that is known; undefined where it is not. */
export type WayOut = {
  egress: Egress
  reached: Reached[]
  address: string | undefined
  known: 'told' | 'set' | 'assumed' | undefined
}

type IsPublic = (address: string) => boolean

/**
 * Finds the address of a way out without asking anybody but mail servers and DNS. Large providers write into their answer to EHLO whom they
 * see; else it is the address that was set, if the world can see it; else, as a guess that is told as one, the address of the EHLO name.
 */
export async function findAddress(
  egress: Egress,
  reached: Reached[],
  dns: MailDns,
  isPublic: IsPublic,
): Promise<WayOut> {
  const told = reached.flatMap(({ reach }) => (reach.kind === 'reached' ? listAddresses(reach.hello) : []))
  const seen = told.find(isPublic)
  if (seen !== undefined) return { egress, reached, address: seen, known: 'told' }
  const { localAddress, socks5 } = egress
  if (localAddress !== undefined && socks5 === undefined && isPublic(localAddress)) {
    return { egress, reached, address: localAddress, known: 'set' }
  }
  const answer = await ask(dns.resolve4(egress.heloName))
  const assumed = answer.kind === 'records' ? answer.records.find(isPublic) : undefined
  return { egress, reached, address: assumed, known: assumed === undefined ? undefined : 'assumed' }
}

/** IPv4 and IPv6 addresses in a text, as in "mx.google.com at your service, [192.0.2.7]". */
function listAddresses(text: string): string[] {
  return text.match(/(?<![0-9.])\d{1,3}(\.\d{1,3}){3}(?![0-9.])|(?<=\[(?:IPv6:)?)[0-9a-f:]{6,39}(?=\])/gi) ?? []
}
