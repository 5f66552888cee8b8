import { sql } from 'kysely'
import { asOwner, type Db, inTenant } from '../connection/connect.ts'
import type { View } from '../connection/scope.ts'
import { type ClaimedDelivery, claimDelivery, dispatchDeliveries, type NewAttempt } from './events.ts'
import { insertWebhook, type NewWebhook, type Webhook } from './webhooks.ts'

/** An attempt with a response of this status. */
export function attemptWith(status: number): NewAttempt {
  return { signedAt: new Date(), signature: 'v1,signature', status, error: null, durationMs: 12 }
}

export async function openTestWebhook(
  db: Db,
  view: View,
  webhook: Partial<NewWebhook> = {},
): Promise<Webhook & { secret: string }> {
  const made = await inTenant(db, view.accountId, (trx) =>
    insertWebhook(trx, view, { url: 'https://hooks.example.com/probity', ...webhook }),
  )
  if (made === undefined) throw new Error('no endpoint more')
  return { ...made.webhook, secret: made.secret }
}

/** Dispatches and claims all due deliveries of one account. */
export async function claimAll(db: Db, accountId: string): Promise<ClaimedDelivery[]> {
  const claimed: ClaimedDelivery[] = []
  for (const released of await dispatchDeliveries(db, 1_000)) {
    if (released.accountId !== accountId) continue
    const delivery = await claimDelivery(db, released, 30)
    if (delivery) claimed.push(delivery)
  }
  return claimed
}

/** All events of an account, oldest first, as they are sent. */
export async function readEvents(db: Db, accountId: string) {
  const { rows } = await asOwner(db, (trx) =>
    sql<{ id: string; mode: string; type: string; body: string | null; deliveries: number; daysLeft: number }>`
      select v.id, v.mode, v.type, v.body, v.expires_on - utc_today() as days_left,
        (select count(*)::integer from webhook_deliveries d where d.event_id = v.id) as deliveries
      from webhook_events v where v.account_id = ${accountId} order by v.created_at`.execute(trx),
  )
  return rows.map(({ body, ...row }) => ({ ...row, body: body === null ? null : JSON.parse(body) }))
}

/** Advances the time of an account's deliveries: due times pass and claims expire. */
export async function passTime(db: Db, accountId: string, seconds: number): Promise<void> {
  await asOwner(db, (trx) =>
    sql`update webhook_deliveries set next_at = next_at - make_interval(secs => ${seconds}),
          claimed_until = claimed_until - make_interval(secs => ${seconds})
        where account_id = ${accountId}`.execute(trx),
  )
}
