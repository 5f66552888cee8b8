import { type SelectQueryBuilder, sql } from 'kysely'
import type { Trx } from '../connection/connect.ts'
import { type Page, readPage } from '../connection/page.ts'
import type { Schema } from '../connection/schema.ts'

/** An account as operators see it: names and figures, no addresses. */
export type SeenAccount = {
  id: string
  name: string
  slug: string | null
  plan: string
  unlimited: boolean
  available: number
  reserved: number
  spent: number
  createdAt: Date
  suspendedAt: Date | null
  onHoldSince: Date | null
  members: number
  keys: number
  used30d: number
}

const COLUMNS = [
  'id',
  'name',
  'slug',
  'plan',
  'unlimited',
  'available',
  'reserved',
  'spent',
  'createdAt',
  'suspendedAt',
  'onHoldSince',
] as const

type Search = { search?: string | undefined; state?: 'suspended' | 'on_hold' | undefined }

/** Accounts whose name contains the text or whose id starts with it, newest first. Runs as an operator. */
export async function searchAccounts(
  trx: Trx,
  page: Search & Page,
): Promise<{ accounts: SeenAccount[]; total: number }> {
  const { rows, total } = await readPage(matching(trx.selectFrom('accounts'), page), page, (accounts) =>
    withCounts(accounts.orderBy('createdAt', 'desc').orderBy('id')),
  )
  return { accounts: rows, total }
}

/** One account. Runs as an operator. */
export function findSeenAccount(trx: Trx, accountId: string): Promise<SeenAccount | undefined> {
  return withCounts(trx.selectFrom('accounts').where('id', '=', accountId)).executeTakeFirst()
}

type Accounts = SelectQueryBuilder<Schema, 'accounts', object>

function matching(accounts: Accounts, { search, state }: Search): Accounts {
  let found = accounts
  if (search) {
    found = found.where(
      sql<boolean>`(position(lower(${search}) in lower(name)) > 0 or starts_with(id::text, lower(${search})))`,
    )
  }
  if (state === 'suspended') found = found.where('suspendedAt', 'is not', null)
  if (state === 'on_hold') found = found.where('onHoldSince', 'is not', null)
  return found
}

function withCounts(accounts: Accounts) {
  return accounts.select([
    ...COLUMNS,
    sql<number>`(select count(*) from members m where m.account_id = accounts.id)`.as('members'),
    sql<number>`(select count(*) from api_keys k where k.account_id = accounts.id and k.revoked_at is null)`.as('keys'),
    sql<number>`(
      select coalesce(sum(u.credits_used), 0)::bigint from usage_days u
      where u.account_id = accounts.id and u.day > utc_today() - 30
    )`.as('used30d'),
  ])
}

/** Returns false if the account does not exist. */
export async function changePlan(trx: Trx, accountId: string, plan: string): Promise<boolean> {
  const changed = await trx.updateTable('accounts').set({ plan }).where('id', '=', accountId).returning('id').execute()
  return changed.length > 0
}

/** Suspends an account and pauses its lists. Idempotent. */
export async function suspendAccount(trx: Trx, accountId: string): Promise<void> {
  await sql`select suspend_account(${accountId})`.execute(trx)
}

/** Reactivates an account. Its lists stay paused until a member resumes them. */
export async function reactivateAccount(trx: Trx, accountId: string): Promise<void> {
  const suspended = trx.updateTable('accounts').set({ suspendedAt: null }).where('id', '=', accountId)
  await suspended.where('suspendedAt', 'is not', null).execute()
}

export type Operator = { id: string; name: string; email: string }

export function listOperators(trx: Trx): Promise<Operator[]> {
  return trx
    .selectFrom('users')
    .select(['id', 'name', 'email'])
    .where('isOperator', '=', true)
    .orderBy('email')
    .execute()
}

/**
 * Undefined if no user has that address. A user without 2FA does not become an operator: with a stolen password alone, another person
 * could then set it up.
 */
export async function setOperator(
  trx: Trx,
  email: string,
  isOperator: boolean,
): Promise<Operator | 'no_two_factor' | undefined> {
  const user = await trx
    .selectFrom('users')
    .select(['id', 'name', 'email', 'twoFactorEnabled'])
    .where('email', '=', email.toLowerCase())
    .forUpdate()
    .executeTakeFirst()
  if (user === undefined) return undefined
  const { twoFactorEnabled, ...operator } = user
  if (isOperator && !twoFactorEnabled) return 'no_two_factor'
  await trx.updateTable('users').set({ isOperator }).where('id', '=', user.id).execute()
  return operator
}
