import { ProviderHealth } from '@probity/contract/schemas/system'
import type { Redis } from 'ioredis'
import { DOOR_PROBLEMS, operation } from '../http/openapi.ts'
import type { Route } from '../http/route.ts'
import { readProviderHealth } from './read-provider-health.ts'

type ProviderHealthDependencies = {
  redis: Redis
  queuePrefix: string
}

/** State of mailbox providers, the same for every account. */
export const showProviderHealth: Route<ProviderHealthDependencies> = async (app, { redis, queuePrefix }) => {
  const schema = operation(
    {
      id: 'getProviderHealth',
      tag: 'Account',
      summary: 'Get the state of mail providers',
      description:
        'Mailbox providers that limit or block the probes of this installation, so that more results of their addresses are `unknown`. The same for all accounts. Only well-known providers are listed.',
      problems: DOOR_PROBLEMS,
    },
    { response: { 200: ProviderHealth } },
  )
  app.get('/health/providers', { schema, config: { scope: 'account:read' } }, () =>
    readProviderHealth(redis, queuePrefix),
  )
}
