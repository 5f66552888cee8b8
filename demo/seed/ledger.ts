import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { GRANTS } from './data/account.ts'
import { DAY_MS, insertRows, isoOf, type Seeding } from './rows.ts'

/** One ledger transaction of the past. `part` is the chunk of a job. */
export type Transaction = {
  kind: 'grant' | 'charge' | 'reserve' | 'settle' | 'release' | 'refund'
  credits: number
  subject: string
  part: number
  keyId: string | null
  atMs: number
  note?: string
}

const NO_KEY = '00000000-0000-0000-0000-000000000000'

/**
 * Writes the ledger in the order of time, and derives balances and daily credits from it, as apply_to_balance (billing.sql) does. ledger_post
 * is not used, because it writes the current time.
 */
export async function writeLedger({ trx, accountId, nowMs }: Seeding, spent: readonly Transaction[]): Promise<void> {
  const grants = GRANTS.map(({ daysAgo, credits, note }): Transaction => {
    return { kind: 'grant', credits, subject: randomUUID(), part: 0, keyId: null, atMs: nowMs - daysAgo * DAY_MS, note }
  })
  const rows = [...grants, ...spent].toSorted((one, other) => one.atMs - other.atMs)
  await sql`create temporary table seeded (
    n integer, kind text, credits bigint, subject uuid, part integer, key_id uuid, at timestamptz, note text) on commit drop`.execute(
    trx,
  )
  await insertRows(
    trx,
    'seeded',
    rows.map(({ keyId, atMs, note = null, ...row }, n) => ({ n, ...row, key_id: keyId, at: isoOf(atMs), note })),
  )
  await sql`
    insert into ledger (account_id, kind, subject, part, d_available, d_reserved, d_spent, key_id, note, at)
    select ${accountId}, s.kind, s.subject, s.part, s.credits * k.available, s.credits * k.reserved, s.credits * k.spent, s.key_id, s.note, s.at
    from seeded s join ledger_kinds k on k.kind = s.kind order by s.n`.execute(trx)
  await sql`
    update accounts a set (available, reserved, spent, last_grant, credits_low) = (
      select sum(l.d_available), sum(l.d_reserved), sum(l.d_spent), ${GRANTS.at(-1)?.credits ?? 0}::bigint, false
      from ledger l where l.account_id = a.id
    ) where a.id = ${accountId}`.execute(trx)
  await sql`
    insert into usage_days (account_id, day, key_id, credits_used, credits_committed, credits_refunded)
    select l.account_id, (l.at at time zone 'utc')::date, coalesce(l.key_id, ${NO_KEY}::uuid), sum(l.d_spent), -sum(l.d_available),
           coalesce(sum(l.d_available) filter (where l.kind = 'refund'), 0)
    from ledger l where l.account_id = ${accountId} and l.kind not in ('grant', 'adjust')
    group by 1, 2, 3
    on conflict (account_id, day, key_id) do update set credits_used = excluded.credits_used,
      credits_committed = excluded.credits_committed, credits_refunded = excluded.credits_refunded`.execute(trx)
}
