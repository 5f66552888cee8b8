import { TEST_EVENT } from '@probity/contract/constants/webhooks'
import { type Selectable, sql } from 'kysely'
import type { Trx } from '../connection/connect.ts'
import { type Page, readPage } from '../connection/page.ts'
import type { Schema } from '../connection/schema.ts'
import type { View } from '../connection/scope.ts'
import { findWebhook } from './webhooks.ts'

export type Delivery = Omit<
  Selectable<Schema['webhookDeliveries']>,
  'expiresOn' | 'attemptsBegun' | 'claimedUntil' | 'accountId'
>

const COLUMNS = [
  'id',
  'endpointId',
  'eventId',
  'type',
  'state',
  'attempts',
  'nextAt',
  'createdAt',
  'finishedAt',
] as const

type Filter = { state?: Delivery['state'] | undefined; type?: string | undefined }

/** One page of a webhook's deliveries, newest first, and their number; undefined if the webhook does not exist. */
export async function listDeliveries(trx: Trx, view: View, webhookId: string, page: Filter & Page) {
  if ((await findWebhook(trx, view, webhookId)) === undefined) return undefined
  const { rows, total } = await readPage(deliveriesIn(trx, view, webhookId, page), page, (deliveries) =>
    deliveries.select(COLUMNS).orderBy('createdAt', 'desc').orderBy('id'),
  )
  return { deliveries: rows, total }
}

function deliveriesIn(trx: Trx, { accountId }: View, webhookId: string, { state, type }: Filter) {
  return trx
    .selectFrom('webhookDeliveries')
    .where('accountId', '=', accountId)
    .where('endpointId', '=', webhookId)
    .$if(state !== undefined, (some) => some.where('state', '=', state as Delivery['state']))
    .$if(type !== undefined, (some) => some.where('type', '=', type as string))
}

export type Attempt = Omit<Selectable<Schema['webhookAttempts']>, 'accountId' | 'deliveryId'>

/** A delivery with its attempts and the body, which is null once it has been deleted. */
export type WholeDelivery = Delivery & { body: string | null; tried: Attempt[] }

export async function findDelivery(
  trx: Trx,
  view: View,
  { webhookId, deliveryId }: { webhookId: string; deliveryId: string },
): Promise<WholeDelivery | undefined> {
  if ((await findWebhook(trx, view, webhookId)) === undefined) return undefined
  const row = await deliveriesIn(trx, view, webhookId, {})
    .select([...COLUMNS, 'expiresOn'])
    .where('id', '=', deliveryId)
    .executeTakeFirst()
  return row && readWhole(trx, view, row)
}

/** The delivery of a job's callback; undefined before the job ends, and after the event has expired. */
export async function findCallback(trx: Trx, view: View, jobId: string): Promise<WholeDelivery | undefined> {
  const row = await trx
    .selectFrom('webhookDeliveries')
    .innerJoin('webhookEndpoints as endpoint', 'endpoint.id', 'webhookDeliveries.endpointId')
    .select(COLUMNS.map((column) => `webhookDeliveries.${column}` as const))
    .select('webhookDeliveries.expiresOn')
    .where('endpoint.accountId', '=', view.accountId)
    .where('endpoint.mode', '=', view.mode)
    .where('endpoint.jobId', '=', jobId)
    .executeTakeFirst()
  return row && readWhole(trx, view, row)
}

async function readWhole(
  trx: Trx,
  { accountId }: View,
  { expiresOn, ...delivery }: Delivery & { expiresOn: string },
): Promise<WholeDelivery> {
  const events = trx.selectFrom('webhookEvents').select('body').where('expiresOn', '=', expiresOn)
  const event = await events.where('accountId', '=', accountId).where('id', '=', delivery.eventId).executeTakeFirst()
  const tried = await trx
    .selectFrom('webhookAttempts')
    .select(['no', 'signedAt', 'signature', 'status', 'error', 'durationMs'])
    .where('accountId', '=', accountId)
    .where('deliveryId', '=', delivery.id)
    .orderBy('no')
    .execute()
  return { ...delivery, body: event?.body ?? null, tried }
}

/** Result of resending. `removed`: the event is no longer stored. */
export type Resent = { kind: 'sent'; count: number } | { kind: 'missing' | 'disabled' | 'removed' }

/** Resends one delivery in any state. The receiver gets the same id again. */
export async function resendDelivery(
  trx: Trx,
  view: View,
  { webhookId, deliveryId }: { webhookId: string; deliveryId: string },
): Promise<Resent> {
  const delivery = await findDelivery(trx, view, { webhookId, deliveryId })
  if (delivery === undefined) return { kind: 'missing' }
  if (delivery.body === null) return { kind: 'removed' }
  return resend(trx, view, { webhookId, deliveryId, since: null })
}

/** Resends the callback of a job, in any state. */
export async function resendCallback(trx: Trx, view: View, jobId: string): Promise<Resent> {
  const delivery = await findCallback(trx, view, jobId)
  if (delivery === undefined) return { kind: 'missing' }
  if (delivery.body === null) return { kind: 'removed' }
  const { rows } = await sql<{ count: number }>`
    select resend_deliveries(${delivery.endpointId}, ${delivery.id}, null) as count`.execute(trx)
  return { kind: 'sent', count: rows[0]?.count ?? 0 }
}

/** Resends the deliveries that failed since a time. */
export function recoverDeliveries(trx: Trx, view: View, webhookId: string, since: Date): Promise<Resent> {
  return resend(trx, view, { webhookId, deliveryId: null, since })
}

type Chosen = { webhookId: string; deliveryId: string | null; since: Date | null }

async function resend(trx: Trx, view: View, { webhookId, deliveryId, since }: Chosen): Promise<Resent> {
  const webhook = await findWebhook(trx, view, webhookId)
  if (webhook === undefined) return { kind: 'missing' }
  if (webhook.state === 'disabled') return { kind: 'disabled' }
  const { rows } = await sql<{ count: number }>`
    select resend_deliveries(${webhookId}, ${deliveryId}, ${since}) as count`.execute(trx)
  return { kind: 'sent', count: rows[0]?.count ?? 0 }
}

/** Sends a test event to an endpoint. */
export async function sendTestEvent(
  trx: Trx,
  view: View,
  webhookId: string,
): Promise<Delivery | 'disabled' | undefined> {
  const webhook = await findWebhook(trx, view, webhookId)
  if (webhook === undefined) return undefined
  if (webhook.state === 'disabled') return 'disabled'
  const data = JSON.stringify({ id: webhookId, description: webhook.description })
  const { rows } = await sql<{ eventId: string | null }>`
    select emit_event(${view.mode}, ${TEST_EVENT}, ${data}::json, false, ${webhookId}) as event_id`.execute(trx)
  const eventId = rows[0]?.eventId
  if (!eventId) {
    // Another transaction deleted or disabled the endpoint after the first query.
    return (await findWebhook(trx, view, webhookId)) && 'disabled'
  }
  const deliveries = deliveriesIn(trx, view, webhookId, {}).select(COLUMNS)
  return deliveries.where('eventId', '=', eventId).executeTakeFirstOrThrow()
}
