import { BUILT_IN_POLICIES } from '@probity/contract/constants/data/policies'
import { PolicyList } from '@probity/contract/schemas/policies'
import { listPolicies as listPoliciesOf } from '@probity/database/accounts/policies'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { DOOR_PROBLEMS, operation } from '../../http/openapi.ts'
import type { Route } from '../../http/route.ts'
import { presentBuiltIn, presentOwn } from './present.ts'

/** The policies that a request may name. */
export const listPolicies: Route<{ db: Db }> = async (app, { db }) => {
  const schema = operation(
    {
      id: 'listPolicies',
      tag: 'Policies',
      summary: 'List policies',
      description:
        'The built-in policies and those of the account, sorted by name. A policy of the account replaces a built-in policy with the same name.',
      problems: DOOR_PROBLEMS,
    },
    { response: { 200: PolicyList } },
  )
  app.get('/policies', { schema, config: { scope: 'account:read' } }, async ({ auth }) => {
    const own = await inTenant(db, auth.accountId, (trx) => listPoliciesOf(trx, auth.accountId))
    const names = new Set(own.map(({ name }) => name))
    const builtIn = Object.entries(BUILT_IN_POLICIES).filter(([name]) => !names.has(name))
    const all = [...builtIn.map(([name, policy]) => presentBuiltIn(name, policy)), ...own.map(presentOwn)]
    return all.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  })
}
