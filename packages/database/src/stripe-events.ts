import { sql } from 'kysely'
import { asNobody, type Db, type Trx } from './connect.ts'

/** Whether an event was seen before, and what time it is: whatever Stripe is asked from now on is at least that recent. */
export function lookUpEvent(db: Db, id: string): Promise<{ isKnown: boolean; checkedAt: string }> {
  return asNobody(db, async (trx) => {
    // As text: a Date would cut it off at the millisecond, and two questions may be closer together.
    const { rows } = await sql<{ isKnown: boolean; checkedAt: string }>`
      select exists (select from stripe_events where id = ${id}) as is_known, clock_timestamp()::text as checked_at`.execute(
      trx,
    )
    const [row] = rows
    if (row === undefined) throw new Error('no row came back')
    return row
  })
}

/** Puts an event down as seen. False where it was before: whoever comes second at the same time waits here for the first. */
export async function insertEvent(trx: Trx, event: { id: string; type: string }): Promise<boolean> {
  const row = await trx
    .insertInto('stripeEvents')
    .values({ id: event.id, type: event.type, outcome: 'begun' })
    .onConflict((known) => known.column('id').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** What came of an event, for whoever looks into the table. */
export async function noteOutcome(trx: Trx, id: string, outcome: string): Promise<void> {
  await trx.updateTable('stripeEvents').set({ outcome }).where('id', '=', id).execute()
}
