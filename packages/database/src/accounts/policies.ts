import type { PolicyRules } from '@probity/contract/constants/data/policies'
import { POLICIES_MAX } from '@probity/contract/constants/policies'
import { type Selectable, sql } from 'kysely'
import type { Trx } from '../connection/connect.ts'
import { countRows } from '../connection/page.ts'
import type { Schema } from '../connection/schema.ts'

export type OwnPolicy = Pick<Selectable<Schema['policies']>, 'id' | 'name' | 'description' | 'rules' | 'fallback'>
export type NewPolicy = {
  name: string
  description?: string
  rules: PolicyRules['rules']
  fallback: PolicyRules['default']
}
export type PolicyChange = Partial<Omit<NewPolicy, 'name'>>

const COLUMNS = ['id', 'name', 'description', 'rules', 'fallback'] as const

/** Creates a policy, unless the name is taken or the account has reached the limit. */
export async function insertPolicy(
  trx: Trx,
  accountId: string,
  { rules, fallback, ...policy }: NewPolicy,
): Promise<{ kind: 'made'; policy: OwnPolicy } | { kind: 'name_taken' } | { kind: 'too_many' }> {
  // Concurrent requests would each count without the other and exceed the limit together.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`policies of ${accountId}`}, 0))`.execute(trx)
  const total = await countRows(trx.selectFrom('policies').where('accountId', '=', accountId))
  if ((await findPolicy(trx, accountId, policy.name)) !== undefined) return { kind: 'name_taken' }
  if (total >= POLICIES_MAX) return { kind: 'too_many' }
  const made = await trx
    .insertInto('policies')
    .values({ ...policy, accountId, rules: JSON.stringify(rules), fallback: JSON.stringify(fallback) })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  return { kind: 'made', policy: made }
}

export function findPolicy(trx: Trx, accountId: string, name: string): Promise<OwnPolicy | undefined> {
  const policies = trx.selectFrom('policies').select(COLUMNS).where('accountId', '=', accountId)
  return policies.where('name', '=', name).executeTakeFirst()
}

/** All policies of an account, by name. Their number is limited. */
export function listPolicies(trx: Trx, accountId: string): Promise<OwnPolicy[]> {
  return trx.selectFrom('policies').select(COLUMNS).where('accountId', '=', accountId).orderBy('name').execute()
}

/** Changes the given fields. */
export async function updatePolicy(
  trx: Trx,
  { accountId, name }: { accountId: string; name: string },
  { description, rules, fallback }: PolicyChange,
): Promise<OwnPolicy | undefined> {
  const set = {
    ...(description !== undefined && { description }),
    ...(rules && { rules: JSON.stringify(rules) }),
    ...(fallback && { fallback: JSON.stringify(fallback) }),
  }
  const policies = trx.updateTable('policies').set(set).where('accountId', '=', accountId)
  return policies.where('name', '=', name).returning(COLUMNS).executeTakeFirst()
}

/** False if the account has no policy of that name. */
export async function removePolicy(trx: Trx, accountId: string, name: string): Promise<boolean> {
  const policies = trx.deleteFrom('policies').where('accountId', '=', accountId).where('name', '=', name)
  const removed = await policies.executeTakeFirst()
  return removed.numDeletedRows > 0n
}
