import type { KeyMode } from '@probity/contract/constants/keys'
import type { WebhookEventType } from '@probity/contract/constants/webhooks'
import { sql } from 'kysely'
import { type Db, inTenant, type Trx, withoutTenant } from '../connection/connect.ts'

export type NewEvent = {
  mode: KeyMode
  type: WebhookEventType
  /** Called only if the event is received. */
  data(): Promise<object> | object
  /** Such an event expires with the account's retention. */
  holdsAddress?: boolean
  /** When it will have happened, if not now. */
  at?: Date
  /** The job that ends with this event, whose callback is then delivered. */
  callbackJob?: string
}

/**
 * Emits an event of the transaction's account to the endpoints and open streams that receive it. The event and its cause are
 * committed together or not at all. Without a receiver it costs one call with index lookups.
 */
export async function emitEvent(trx: Trx, event: NewEvent): Promise<void> {
  const { mode, type, data, holdsAddress = false, at, callbackJob } = event
  if (!(await hasSubscriber(trx, event))) return
  await sql`
    select emit_event(${mode}, ${type}, ${JSON.stringify(await data())}::json, ${holdsAddress},
      p_at => coalesce(${at ?? null}::timestamptz, clock_timestamp()), p_callback_job => ${callbackJob ?? null})`.execute(
    trx,
  )
}

export async function hasSubscriber(
  trx: Trx,
  { mode, type, callbackJob }: Pick<NewEvent, 'mode' | 'type' | 'callbackJob'>,
): Promise<boolean> {
  const { rows } = await sql<{ isReceived: boolean }>`
    select has_event_subscriber(${mode}, ${type}, ${callbackJob ?? null}) as is_received`.execute(trx)
  return rows[0]?.isReceived === true
}

/** A dispatched delivery. Each dispatch has another epoch. */
export type DispatchedDelivery = { accountId: string; id: string; epoch: number }

/** Dispatches due deliveries within the limit of each endpoint. None if another process is dispatching. */
export async function dispatchDeliveries(db: Db, max: number): Promise<DispatchedDelivery[]> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<DispatchedDelivery>`select * from dispatch_deliveries(${max})`.execute(trx),
  )
  return rows
}

/** A delivery that this worker has claimed, and the data to send it. */
export type ClaimedDelivery = DispatchedDelivery & {
  /** Number of claims since it was last enqueued, this one included. */
  attemptsBegun: number
  mode: KeyMode
  type: string
  eventId: string
  /** Null if it has expired. */
  body: string | null
  url: string
  secret: string
  /** Also signs for a day after the rotation. */
  previousSecret: string | null
  /** Null for the callback of a job, which is signed with the account's callback secret only. */
  privateKey: string | null
  previousPrivateKey: string | null
}

/** Claims a delivery. Undefined if another worker has claimed or finished it. */
export async function claimDelivery(
  db: Db,
  { id, epoch }: DispatchedDelivery,
  holdS: number,
): Promise<ClaimedDelivery | undefined> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<ClaimedDelivery>`select * from claim_delivery(${id}, ${epoch}, ${holdS})`.execute(trx),
  )
  return rows[0]
}

/** `gone`: the endpoint responded 410 and is disabled. */
export type DeliveryOutcome = { kind: 'delivered' | 'given_up' | 'gone' } | { kind: 'again'; afterMs: number }

/** One attempt: its signature, and the status of the response or the reason why there is none. */
export type NewAttempt = {
  signedAt: Date
  signature: string
  status: number | null
  error: string | null
  durationMs: number
}

/** Records an attempt. `lost`: another worker has claimed the delivery and attempts it again. */
export async function recordAttempt(
  db: Db,
  { accountId, id, epoch }: DispatchedDelivery,
  outcome: DeliveryOutcome,
  { signedAt, signature, status, error, durationMs }: NewAttempt,
): Promise<'settled' | 'lost'> {
  const afterMs = outcome.kind === 'again' ? outcome.afterMs : 0
  const { rows } = await inTenant(db, accountId, (trx) =>
    sql<{ outcome: 'settled' | 'lost' }>`
      select settle_delivery(${id}, ${epoch}, ${outcome.kind}, ${afterMs}, ${signedAt}, ${signature}, ${status}, ${error},
        ${Math.round(durationMs)}) as outcome`.execute(trx),
  )
  return rows[0]?.outcome ?? 'lost'
}
