import { sql } from 'kysely'
import { type Db, inTenant, withoutTenant } from '../connection/connect.ts'
import type { View } from '../connection/scope.ts'

/** Limit of an account, for both modes together and over all processes. */
export const EVENT_STREAMS_MAX = 2

/** An event for an open stream. The body is the JSON text that webhooks receive. */
export type StreamEvent = { streamId: string; eventId: string; body: string }

/** Opens a stream; false if the account has as many as it may. From now on events are emitted for it. */
export async function insertEventStream(db: Db, { accountId, mode }: View, id: string): Promise<boolean> {
  const { rows } = await inTenant(db, accountId, (trx) =>
    sql<{ isOpen: boolean }>`select open_event_stream(${id}, ${mode}, ${EVENT_STREAMS_MAX}) as is_open`.execute(trx),
  )
  return rows[0]?.isOpen === true
}

export async function removeEventStream(db: Db, { accountId }: View, id: string): Promise<void> {
  await inTenant(db, accountId, (trx) => sql`select close_event_stream(${id})`.execute(trx))
}

/**
 * Renews the streams of this process and claims their due events, oldest first. `lost` are streams that the database no longer has,
 * because it was restarted after a crash or this process did not renew them in time.
 */
export async function claimStreamEvents(
  db: Db,
  ids: string[],
  max: number,
): Promise<{ events: StreamEvent[]; lost: string[] }> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<{ streamId: string; eventId: string | null; body: string | null }>`
      select * from take_stream_events(${ids}::uuid[], ${max})`.execute(trx),
  )
  return {
    events: rows.flatMap(({ streamId, eventId, body }) => (eventId && body ? { streamId, eventId, body } : [])),
    lost: rows.filter(({ eventId }) => eventId === null).map(({ streamId }) => streamId),
  }
}

/** Deletes streams of all accounts that no process renews, and their events. */
export async function removeStaleStreams(db: Db): Promise<void> {
  await withoutTenant(db, (trx) => sql`select delete_stale_streams()`.execute(trx))
}
