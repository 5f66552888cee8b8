import type { KeyMode } from '@probity/contract/key-format'
import type { WebhookEventType } from '@probity/contract/webhook-events'
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

/** A delivery that was let out. Each time it is, its epoch is another. */
export type ReleasedDelivery = { accountId: string; id: string; epoch: number }

/** Lets out what is due, no more of one endpoint than it bears. Nothing where another process is doing so. */
export async function releaseDeliveries(db: Db, max: number): Promise<ReleasedDelivery[]> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<ReleasedDelivery>`select * from dispatch_deliveries(${max})`.execute(trx),
  )
  return rows
}

/** A delivery that this worker holds for a while, and what it needs to be sent. */
export type ClaimedDelivery = ReleasedDelivery & {
  /** How often it was begun since it was last set going, this time included. */
  attemptsBegun: number
  mode: KeyMode
  type: string
  eventId: string
  /** Null where it is not kept any more. */
  body: string | null
  url: string
  secret: string
  /** Also signs for a day after the rotation. */
  previousSecret: string | null
  /** Null for the callback of a job, which is signed with the account's callback secret only. */
  privateKey: string | null
  previousPrivateKey: string | null
}

/** Takes a delivery; undefined where it is another's by now, or done. */
export async function claimDelivery(
  db: Db,
  { id, epoch }: ReleasedDelivery,
  holdS: number,
): Promise<ClaimedDelivery | undefined> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<ClaimedDelivery>`select * from claim_delivery(${id}, ${epoch}, ${holdS})`.execute(trx),
  )
  return rows[0]
}

/** `gone`: the endpoint wants nothing more, ever. */
export type DeliveryOutcome = { kind: 'delivered' | 'given_up' | 'gone' } | { kind: 'again'; afterMs: number }

/** One try: what was signed when, and what came of it, a status or the reason why there is none. */
export type Tried = {
  signedAt: Date
  signature: string
  status: number | null
  error: string | null
  durationMs: number
}

/** Writes down what came of a try. `lost`: the delivery is another's by now, who will try it once more. */
export async function settleDelivery(
  db: Db,
  { accountId, id, epoch }: ReleasedDelivery,
  outcome: DeliveryOutcome,
  { signedAt, signature, status, error, durationMs }: Tried,
): Promise<'settled' | 'lost'> {
  const afterMs = outcome.kind === 'again' ? outcome.afterMs : 0
  const { rows } = await inTenant(db, accountId, (trx) =>
    sql<{ outcome: 'settled' | 'lost' }>`
      select settle_delivery(${id}, ${epoch}, ${outcome.kind}, ${afterMs}, ${signedAt}, ${signature}, ${status}, ${error},
        ${Math.round(durationMs)}) as outcome`.execute(trx),
  )
  return rows[0]?.outcome ?? 'lost'
}
