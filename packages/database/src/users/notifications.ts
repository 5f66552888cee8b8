import type { NotificationKind } from '@probity/contract/constants/users'
import { sql } from 'kysely'
import { type Db, type Trx, withoutTenant } from '../connection/connect.ts'

/** An email notification that is due, its recipient and its content. */
export type DueNotification = {
  id: string
  kind: NotificationKind
  data: Record<string, string | number>
  /** The number of attempts, including this one. */
  attempts: number
  email: string
  name: string
  organisation: string
  /** The slug of the account, if it has one. */
  slug: string | null
}

/** Claims due notifications of all accounts. While they are claimed, no other process sends them. */
export async function claimNotifications(db: Db, limit: number, holdS: number): Promise<DueNotification[]> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<DueNotification>`select * from claim_notifications(${limit}, ${holdS})`.execute(trx),
  )
  return rows
}

export type NotificationOutcome = { kind: 'sent' } | { kind: 'again'; afterS: number } | { kind: 'given_up' }

export async function finishNotification(db: Db, id: string, end: NotificationOutcome): Promise<void> {
  const afterS = end.kind === 'sent' ? null : end.kind === 'again' ? end.afterS : -1
  await withoutTenant(db, (trx) => sql`select settle_notification(${id}, ${afterS}::integer)`.execute(trx))
}

/** Notifications are kept for a month, so that none is sent twice. */
const KEPT_DAYS = 30

/** Creates notifications about results that expire in three days, and deletes old ones. */
export async function maintainNotifications(db: Db): Promise<number> {
  return withoutTenant(db, async (trx) => {
    await sql`select notify_expiring_results()`.execute(trx)
    const { rows } = await sql<{ removed: number }>`select delete_old_notifications(${KEPT_DAYS}) as removed`.execute(
      trx,
    )
    return rows[0]?.removed ?? 0
  })
}

type Membership = { accountId: string; personId: string }

/** The notifications that a member has chosen, null for none, and the defaults of the member's role. */
export type NotificationChoice = { wanted: NotificationKind[] | null; usual: NotificationKind[] }

export async function findNotificationChoice(
  trx: Trx,
  { accountId, personId }: Membership,
): Promise<NotificationChoice> {
  const { rows } = await sql<NotificationChoice>`
    select notifications as wanted, default_notifications(role) as usual from members
    where account_id = ${accountId} and user_id = ${personId}`.execute(trx)
  return rows[0] ?? { wanted: null, usual: [] }
}

export async function updateNotificationChoice(
  trx: Trx,
  member: Membership,
  wanted: NotificationKind[] | null,
): Promise<void> {
  await sql`update members set notifications = ${wanted}::text[]
    where account_id = ${member.accountId} and user_id = ${member.personId}`.execute(trx)
}
