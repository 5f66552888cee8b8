import { type Selectable, sql, type Updateable } from 'kysely'
import { type Db, type Trx, withoutTenant } from '../connection/connect.ts'
import type { Schema } from '../connection/schema.ts'

export type Account = Selectable<Schema['accounts']>
export type Plan = Selectable<Schema['plans']>
export type NewAccount = { name: string; plan: string; unlimited?: boolean }

/** Creates an account. As the owner: the role of the API cannot create tenants. */
export function insertAccount(trx: Trx, { name, plan, unlimited = false }: NewAccount): Promise<Account> {
  return trx.insertInto('accounts').values({ name, plan, unlimited }).returningAll().executeTakeFirstOrThrow()
}

/** Sets the retention of the account's new results in days. As the owner. */
export function updateRetention(trx: Trx, accountId: string, retentionDays: number): Promise<Account> {
  const account = trx.updateTable('accounts').set({ retentionDays }).where('id', '=', accountId)
  return account.returningAll().executeTakeFirstOrThrow()
}

export async function isAccountSuspended(db: Db, accountId: string): Promise<boolean> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<{ suspended: boolean }>`select is_account_suspended(${accountId}) as suspended`.execute(trx),
  )
  return rows[0]?.suspended ?? false
}

type Exported = { what: 'account' | 'audit_log' | 'ledger' | 'results'; jobId?: string; filename?: string | null }

/** Records in the audit log that data of the account was exported. */
export async function recordExport(trx: Trx, { what, jobId, filename }: Exported): Promise<void> {
  await sql`select record_export(${what}, ${jobId ?? null}, ${filename ?? null})`.execute(trx)
}

export type AccountChange = Pick<
  Updateable<Schema['accounts']>,
  'name' | 'retentionDays' | 'lowCredits' | 'sendThreshold' | 'excludedTraits' | 'ipAllowList'
>

/**
 * Changes settings that the tenant may change. `lowCredits` is the threshold of the low-credits notification; null for the default share.
 */
export async function updateAccount(trx: Trx, accountId: string, change: AccountChange): Promise<void> {
  await trx.updateTable('accounts').set(change).where('id', '=', accountId).execute()
}

/** The tenant's own account with its plan. */
export async function getAccount(
  trx: Trx,
  accountId: string,
): Promise<{ account: Account; plan: Plan; lowAt: number }> {
  const { lowAt, apiAccess, aiEnhancement, catchallDetection, refundUnknown, changedAt, ...rest } = await trx
    .selectFrom('accounts')
    .innerJoin('plans', 'plans.name', 'accounts.plan')
    .selectAll('plans')
    .selectAll('accounts') // last, because both tables have a column `name`
    .select(sql<number>`low_credits_threshold(accounts)`.as('lowAt'))
    .where('accounts.id', '=', accountId)
    .executeTakeFirstOrThrow()
  const { requestsPerWindow, windowS, interactiveInFlight, emailsPerFile, retentionDaysMax, ...account } = rest
  const access = { apiAccess, aiEnhancement, catchallDetection, refundUnknown }
  const limits = { requestsPerWindow, windowS, interactiveInFlight, emailsPerFile, retentionDaysMax }
  return { account, plan: { name: account.plan, ...access, ...limits, changedAt }, lowAt }
}

export function findAccount(trx: Trx, accountId: string): Promise<Account | undefined> {
  return trx.selectFrom('accounts').selectAll().where('id', '=', accountId).executeTakeFirst()
}

export function listAccounts(trx: Trx): Promise<Account[]> {
  return trx.selectFrom('accounts').selectAll().orderBy('createdAt').execute()
}

export function listPlans(trx: Trx): Promise<Plan[]> {
  return trx.selectFrom('plans').selectAll().orderBy('name').execute()
}

/** The settings that decide what is safe to send. Recent results are stored by them. */
export type SendSettings = { sendThreshold: number; excludedTraits: string[] }

/** Limit of the changes that are read. An account with more of them changes its settings by a program, and only the latest count. */
const CHANGES_MAX = 20

/** The current settings of an account and every combination of settings within the last seconds, by its audit log. */
export async function listSendSettings(trx: Trx, accountId: string, seconds: number): Promise<SendSettings[]> {
  const account = trx.selectFrom('accounts').select(['sendThreshold', 'excludedTraits']).where('id', '=', accountId)
  const now = await account.executeTakeFirstOrThrow()
  const { rows } = await sql<{ threshold: number | null; excludes: string[] | null }>`
    select (changes #>> '{send_threshold,0}')::double precision as threshold, changes #> '{excluded_traits,0}' as excludes
    from audit_entries
    where account_id = ${accountId} and at > clock_timestamp() - make_interval(secs => ${seconds})
      and changes ?| array['send_threshold', 'excluded_traits']
    order by id desc limit ${CHANGES_MAX}`.execute(trx)
  const thresholds = new Set([now.sendThreshold, ...rows.flatMap(({ threshold }) => threshold ?? [])])
  const excludes = new Map(
    [now.excludedTraits, ...rows.flatMap((row) => (row.excludes ? [row.excludes] : []))].map(keyed),
  )
  return [...thresholds].flatMap((sendThreshold) =>
    [...excludes.values()].map((excludedTraits) => ({ sendThreshold, excludedTraits })),
  )
}

function keyed(excludes: string[]): [string, string[]] {
  return [excludes.toSorted().join(), excludes]
}
