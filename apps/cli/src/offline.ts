import { getServers } from 'node:dns'
import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { openDomainLists } from '@probity/engine/domain/domain-lists'
import { createDomainLookup } from '@probity/engine/domain/facts'
import { openResolver } from '@probity/engine/domain/resolver'
import { validate } from '@probity/engine/validate'
import { present } from '@probity/engine/verdict/present'

/** Validates on this machine: syntax, DNS and the bundled domain lists, without SMTP. */
export function openOffline(dnsServers: readonly string[] | undefined): (email: string) => Promise<StoredResult> {
  const dns = openResolver({ servers: [...(dnsServers ?? getServers())] })
  const network = { domains: createDomainLookup({ dns }), lists: openDomainLists() }
  return async (email) => present(await validate(email, network))
}
