import { getServers } from 'node:dns'
import type { StandingResult } from '@probity/contract/standing-result'
import { openDomainDesk } from '@probity/engine/domain/facts'
import { openLists } from '@probity/engine/domain/lists'
import { openResolver } from '@probity/engine/domain/resolver'
import { validate } from '@probity/engine/validate'
import { present } from '@probity/engine/verdict/present'

/** Judges addresses here: by their syntax, by DNS and by the lists that the engine brings along. No mail server is asked. */
export function openOffline(dnsServers: readonly string[] | undefined): (email: string) => Promise<StandingResult> {
  const dns = openResolver({ servers: [...(dnsServers ?? getServers())] })
  const network = { domains: openDomainDesk({ dns }), lists: openLists() }
  return async (email) => present(await validate(email, network))
}
