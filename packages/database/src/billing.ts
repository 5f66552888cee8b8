import { type Selectable, sql } from 'kysely'
import { asNobody, type Db, type Trx } from './connect.ts'
import type { Schema } from './schema.ts'

/** Who the tenant is at Stripe, if it has ever been there. */
export async function findCustomer(trx: Trx, accountId: string): Promise<string | undefined> {
  const row = trx.selectFrom('billingCustomers').select('customer').where('accountId', '=', accountId)
  return (await row.executeTakeFirst())?.customer
}

/** Remembers who the tenant is at Stripe, and returns it: the first that was remembered, where two were made at once. */
export async function saveCustomer(trx: Trx, accountId: string, customer: string): Promise<string> {
  await trx
    .insertInto('billingCustomers')
    .values({ accountId, customer })
    .onConflict((row) => row.column('accountId').doNothing())
    .execute()
  return (await findCustomer(trx, accountId)) ?? customer
}

/** Whose customer this is. */
export function findBillingAccount(db: Db, customer: string): Promise<string | undefined> {
  return asNobody(db, async (trx) => {
    const { rows } = await sql<{ id: string | null }>`select find_billing_account(${customer}) as id`.execute(trx)
    return rows[0]?.id ?? undefined
  })
}

type Subscription = Selectable<Schema['subscriptions']>

/** How a subscription stood at Stripe, which was asked at `askedAt` or later. */
export type SubscriptionState = Pick<Subscription, 'id' | 'price' | 'isPaid' | 'beganAt'> & { checkedAt: string }

/** Notes how a subscription of the tenant stands and gives the account the plan that it pays for. Returns that plan. */
export async function keepSubscription(trx: Trx, state: SubscriptionState): Promise<string> {
  const { id, price, isPaid, beganAt, checkedAt } = state
  const { rows } = await sql<{ plan: string }>`
    select record_subscription(${id}, ${price}, ${isPaid}, ${beganAt}, ${checkedAt}) as plan`.execute(trx)
  const [row] = rows
  if (row === undefined) throw new Error('record_subscription returned no row')
  return row.plan
}

/** The tenant's subscription that pays for its plan. */
export function findPayingSubscription(trx: Trx, accountId: string): Promise<Subscription | undefined> {
  return trx
    .selectFrom('subscriptions')
    .innerJoin('prices', 'prices.id', 'subscriptions.price')
    .selectAll('subscriptions')
    .where('accountId', '=', accountId)
    .where('isPaid', '=', true)
    .where('prices.plan', 'is not', null)
    .orderBy('beganAt', 'desc')
    .orderBy('subscriptions.id')
    .limit(1)
    .executeTakeFirst()
}
