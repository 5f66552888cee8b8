import { ProviderHealth } from '@probity/contract/provider-health'
import { DOOR_PROBLEMS, operation } from '../openapi.ts'
import { readProviderHealth } from '../overview/provider-health.ts'
import type { Route } from '../route.ts'

/** How mail providers treat this installation. The same for every account. */
export const showProviderHealth: Route = async (app, { redis, queuePrefix }) => {
  const schema = operation(
    {
      id: 'getProviderHealth',
      tag: 'Account',
      summary: 'Get the state of mail providers',
      description:
        'Mail providers that turn this installation away at the moment, so that results of their addresses end `unknown` more often. It is the same for all accounts, and names only providers that are widely known.',
      problems: DOOR_PROBLEMS,
    },
    { response: { 200: ProviderHealth } },
  )
  app.get('/health/providers', { schema, config: { scope: 'account:read' } }, () =>
    readProviderHealth(redis, queuePrefix),
  )
}
