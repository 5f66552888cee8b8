import type { KeyMode } from '@probity/contract/key-format'
import type { WebhookEventType } from '@probity/contract/webhook-events'
import { sql } from 'kysely'
import type { Trx } from './connect.ts'

export type NewEvent = {
  mode: KeyMode
  type: WebhookEventType
  /** Asked for only where somebody wants the event. */
  data(): Promise<object> | object
  /** Such an event leaves with the account's retention. */
  holdsAddress?: boolean
  /** When it will have happened, if not now. */
  at?: Date
}

/**
 * Tells the endpoints of the transaction's tenant that want it of something that happens in this transaction: both are kept, or
 * neither. Whoever has no endpoint pays one look into an index.
 */
export async function emitEvent(trx: Trx, { mode, type, data, holdsAddress = false, at }: NewEvent): Promise<void> {
  if (!(await isWanted(trx, mode, type))) return
  await sql`
    select emit_event(${mode}, ${type}, ${JSON.stringify(await data())}::json, ${holdsAddress},
      p_at => coalesce(${at ?? null}::timestamptz, clock_timestamp()))`.execute(trx)
}

export async function isWanted(trx: Trx, mode: KeyMode, type: WebhookEventType): Promise<boolean> {
  const { rows } = await sql<{ wanted: boolean }>`select has_event_subscriber(${mode}, ${type}) as wanted`.execute(trx)
  return rows[0]?.wanted === true
}
