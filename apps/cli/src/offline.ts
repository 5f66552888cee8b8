import { getServers } from 'node:dns'
import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { PUBLIC_NAMES } from '@probity/engine/domain/data/known-domains'
import { openDomainLists } from '@probity/engine/domain/domain-lists'
import { createDomainLookup } from '@probity/engine/domain/facts'
import { openResolver } from '@probity/engine/domain/resolver'
import { createResolverCheck } from '@probity/engine/domain/resolver-check'
import { validate } from '@probity/engine/validate'
import { present } from '@probity/engine/verdict/present'

/** Validates on this machine: syntax, DNS and the bundled domain lists, without SMTP. */
export function openOffline(dnsServers: readonly string[] | undefined): (email: string) => Promise<StoredResult> {
  const servers = [...(dnsServers ?? getServers())]
  const resolverCheck = createResolverCheck({ servers, names: PUBLIC_NAMES })
  const domains = createDomainLookup({ dns: openResolver({ servers }), resolverCheck })
  const network = { domains, lists: openDomainLists() }
  return async (email) => present(await validate(email, network))
}
