import { getServers } from 'node:dns'
import type { StandingResult } from '@probity/contract/standing-result'
import { openDomainDesk } from '@probity/engine/domain/facts'
import { openLists } from '@probity/engine/domain/lists'
import { openResolver } from '@probity/engine/domain/resolver'
import { validate } from '@probity/engine/validate'
import { present } from '@probity/engine/verdict/present'

/** Validates on this machine: syntax, DNS and the bundled domain lists, without SMTP. */
export function openOffline(dnsServers: readonly string[] | undefined): (email: string) => Promise<StandingResult> {
  const dns = openResolver({ servers: [...(dnsServers ?? getServers())] })
  const network = { domains: openDomainDesk({ dns }), lists: openLists() }
  return async (email) => present(await validate(email, network))
}
