import type { KeyMode } from '@probity/contract/key-format'
import type { WebhookEventType } from '@probity/contract/webhook-events'
import { sql } from 'kysely'
import type { Trx } from './connect.ts'

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
