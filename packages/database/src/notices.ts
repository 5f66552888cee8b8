import type { Notice } from '@probity/contract/notices'
import { sql } from 'kysely'
import { asNobody, type Db, type Trx } from './connect.ts'

/** A letter that is due, to whom, and what it is about. */
export type DueNotice = {
  id: string
  kind: Notice
  data: Record<string, string | number>
  /** How often it was tried, this time included. */
  attempts: number
  email: string
  name: string
  organisation: string
  /** The name of the organisation in addresses, if it has one. */
  slug: string | null
}

/** Takes letters that are due, whoever they are for. While they are held nobody else sends them. */
export async function claimNotices(db: Db, limit: number, holdS: number): Promise<DueNotice[]> {
  const { rows } = await asNobody(db, (trx) =>
    sql<DueNotice>`select * from claim_notifications(${limit}, ${holdS})`.execute(trx),
  )
  return rows
}

export type NoticeEnd = { kind: 'sent' } | { kind: 'again'; afterS: number } | { kind: 'given_up' }

export async function settleNotice(db: Db, id: string, end: NoticeEnd): Promise<void> {
  const afterS = end.kind === 'sent' ? null : end.kind === 'again' ? end.afterS : -1
  await asNobody(db, (trx) => sql`select settle_notification(${id}, ${afterS}::integer)`.execute(trx))
}

/** Letters are kept for a month, so that none is written twice. */
const KEPT_DAYS = 30

/** Writes of results that leave in three days, and forgets letters of long ago. */
export async function keepNotices(db: Db): Promise<number> {
  return asNobody(db, async (trx) => {
    await sql`select notify_expiring_results()`.execute(trx)
    const { rows } = await sql<{ removed: number }>`select delete_old_notifications(${KEPT_DAYS}) as removed`.execute(
      trx,
    )
    return rows[0]?.removed ?? 0
  })
}

type Membership = { accountId: string; personId: string }

/** The notifications that a member has chosen, null for none, and the defaults of the member's role. */
export type NoticeChoice = { wanted: Notice[] | null; usual: Notice[] }

export async function findNoticeChoice(trx: Trx, { accountId, personId }: Membership): Promise<NoticeChoice> {
  const { rows } = await sql<NoticeChoice>`
    select notifications as wanted, default_notifications(role) as usual from members
    where account_id = ${accountId} and user_id = ${personId}`.execute(trx)
  return rows[0] ?? { wanted: null, usual: [] }
}

export async function updateNoticeChoice(trx: Trx, member: Membership, wanted: Notice[] | null): Promise<void> {
  await sql`update members set notifications = ${wanted}::text[]
    where account_id = ${member.accountId} and user_id = ${member.personId}`.execute(trx)
}
