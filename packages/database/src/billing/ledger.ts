import type { LedgerKind, LedgerSubject } from '@probity/contract/constants/billing'
import { type RawBuilder, sql } from 'kysely'
import type { Trx } from '../connection/connect.ts'
import { offsetAndLimit, type Page } from '../connection/page.ts'

export type LedgerRow = {
  id: number
  at: Date
  kind: LedgerKind
  credits: number
  availableChange: number
  availableAfter: number
  subject: string
  part: number
  subjectKind: LedgerSubject
  filename: string | null
  keyId: string | null
  keyName: string | null
  note: string | null
}

/** Days are in UTC, such as `2026-11-02`, and both are included. A `keyId` of null selects the rows without a key. */
export type LedgerFilter = {
  kinds?: string[] | undefined
  from?: string | undefined
  to?: string | undefined
  keyId?: string | null | undefined
}

/** Cursor of a page: rows before this one, with the balance that was available at it. */
export type LedgerCursor = { id: number; available: number }

type Reading = LedgerFilter & Pick<Page, 'limit'> & Partial<Page> & { before?: LedgerCursor | undefined }

/**
 * Ledger transactions of an account, newest first, each with the balance available after it. The balance is computed backward from the
 * present one, in one statement and therefore in one snapshot: the rows of an account are written one after the other, in the order of
 * their ids. The query reads no further back than the page.
 */
export async function listLedger(trx: Trx, accountId: string, reading: Reading): Promise<LedgerRow[]> {
  const { skip = 0, limit, before } = reading
  const start = before
    ? sql`${before.available}::bigint`
    : sql`(select a.available from accounts a where a.id = ${accountId})`
  const { rows } = await sql<LedgerRow>`
    with page as (
      select * from (
        select l.*, ${start} - coalesce(
          sum(l.d_available) over (order by l.id desc rows between unbounded preceding and 1 preceding), 0
        )::bigint as available_after
        from ledger l where l.account_id = ${accountId} ${before ? sql`and l.id < ${before.id}` : sql``}
      ) l
      where ${matches(reading)} order by l.id desc ${offsetAndLimit({ skip, limit })}
    )
    select l.id, l.at, l.kind, l.subject, l.part, l.d_available as available_change, l.available_after, l.note,
      case l.kind when 'settle' then l.d_spent when 'adjust' then l.d_available else abs(l.d_available) end as credits,
      ${subjectKind(accountId)} as subject_kind, j.filename, l.key_id, k.name as key_name
    from page l
    left join jobs j on j.id = l.subject and j.account_id = ${accountId}
    left join api_keys k on k.id = l.key_id and k.account_id = ${accountId}
    order by l.id desc`.execute(trx)
  return rows
}

export async function countLedger(trx: Trx, accountId: string, filter: LedgerFilter): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from ledger l where l.account_id = ${accountId} and ${matches(filter)}`.execute(trx)
  return rows[0]?.total ?? 0
}

/** The cursor of the page after this row. */
export function cursorAfter({ id, availableAfter, availableChange }: LedgerRow): LedgerCursor {
  return { id, available: availableAfter - availableChange }
}

/** A refund is for a job or for one validation. The job may have been deleted, but never the row that reserved its credits. */
function subjectKind(accountId: string): RawBuilder<LedgerSubject> {
  return sql`
    case
      when l.kind in ('grant', 'adjust') then 'account'
      when l.kind = 'charge' then 'validations'
      when l.kind <> 'refund' or exists (
        select from ledger r where r.account_id = ${accountId} and r.kind = 'reserve' and r.subject = l.subject
      ) then 'job'
      else 'validation'
    end`
}

function matches({ kinds, from, to, keyId }: LedgerFilter): RawBuilder<unknown> {
  const wishes = [
    sql`true`,
    ...(kinds ? [sql`l.kind = any (${kinds})`] : []),
    ...(from ? [sql`l.at >= ${from}::date::timestamp at time zone 'utc'`] : []),
    ...(to ? [sql`l.at < (${to}::date + 1)::timestamp at time zone 'utc'`] : []),
    ...(keyId === undefined ? [] : [keyId === null ? sql`l.key_id is null` : sql`l.key_id = ${keyId}`]),
  ]
  return sql.join(wishes, sql` and `)
}

export type Movement = {
  kind: LedgerKind
  credits: number
  /** The cause of the transaction. The same subject (and part) moves credits once per kind, however often it is posted. */
  subject: string
  part?: number
  keyId?: string | null
  note?: string
}

export type Posting =
  | { kind: 'posted'; available: number }
  | { kind: 'replayed'; available: number }
  | { kind: 'insufficient'; available: number }
  | { kind: 'over_cap'; available: number }
  | { kind: 'on_hold'; available: number }

/** Whether the credits could not be charged. Then nothing was posted. */
export function isRefused({ kind }: Posting): boolean {
  return kind === 'insufficient' || kind === 'over_cap' || kind === 'on_hold'
}

/**
 * Posts a transaction of the account. Besides this, only the SQL functions that end jobs and validations move credits. Takes a database transaction, because a charge must never be
 * committed without the thing charged for.
 */
export async function postCredits(trx: Trx, movement: Movement): Promise<Posting> {
  const { kind, credits, subject, part = 0, keyId = null, note = null } = movement
  const { rows } = await sql<{ outcome: Posting['kind']; available: number }>`
    select outcome, available from ledger_post(${kind}, ${credits}, ${subject}, ${part}, ${keyId}, ${note})`.execute(
    trx,
  )
  const [row] = rows
  if (row === undefined) throw new Error('ledger_post returned no row')
  return { kind: row.outcome, available: row.available }
}

/** Accounts whose balances differ from the sum of their ledger; must be empty. As the owner, because it reads every account. */
export function listDrift(trx: Trx) {
  return trx.selectFrom('ledgerMismatches').selectAll().execute()
}

/** Whether an account is unlimited, or has bought or been granted credits since create_account granted its opening balance. */
export async function isAccountFunded(trx: Trx, accountId: string): Promise<boolean> {
  const { rows } = await sql<{ isFunded: boolean }>`
    select a.unlimited or exists (
      select from ledger l where l.account_id = a.id and l.kind = 'grant' and l.note is distinct from 'opening balance'
    ) as "isFunded"
    from accounts a where a.id = ${accountId}`.execute(trx)
  return rows[0]?.isFunded ?? false
}
