import type { Selectable } from 'kysely'
import type { Trx } from './connect.ts'
import type { Schema } from './schema.ts'

export type Price = Selectable<Schema['prices']>

/** What is sold: packs of credits first, then plans, from the smallest on. */
export function listPrices(trx: Trx): Promise<Price[]> {
  const prices = trx.selectFrom('prices').selectAll()
  return prices
    .orderBy('plan', (by) => by.asc().nullsFirst())
    .orderBy('credits')
    .orderBy('id')
    .execute()
}

/** A price that can be bought now. */
export function findOffer(trx: Trx, id: string): Promise<Price | undefined> {
  return trx.selectFrom('prices').selectAll().where('id', '=', id).where('withdrawn', '=', false).executeTakeFirst()
}

/** Says what a price gives, from now on. What was sold before gives what it was sold for. As the owner. */
export function savePrice(trx: Trx, price: Pick<Price, 'id' | 'plan' | 'credits'>): Promise<Price> {
  const { plan, credits } = price
  return trx
    .insertInto('prices')
    .values(price)
    .onConflict((row) => row.column('id').doUpdateSet({ plan, credits, withdrawn: false }))
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Sells a price no more. As the owner. */
export function withdrawPrice(trx: Trx, id: string): Promise<Price | undefined> {
  return trx.updateTable('prices').set({ withdrawn: true }).where('id', '=', id).returningAll().executeTakeFirst()
}
