import { listPlans } from '@probity/database/accounts/accounts'
import { listPrices, type Price, savePrice, withdrawPrice } from '@probity/database/billing/payments'
import { asOwner, type Db } from '@probity/database/connection/connect'
import { Command } from 'commander'
import type { AdminConfig } from '../config.ts'
import { withDatabase } from '../database.ts'
import { Refusal } from '../refusal.ts'
import { readCredits } from './account.ts'

/** Prices sold through Stripe. */
export function priceCommands(config: AdminConfig): Command {
  const price = new Command('price').description('Stripe prices that are for sale.')
  price
    .command('set')
    .description('Offer a price: one-time credits or, with --plan, a plan and its credits for each paid period.')
    .requiredOption('--price <id>', 'Stripe price id: price_…')
    .requiredOption('--credits <n>', 'credits that it grants', readCredits)
    .option('--plan <plan>', 'plan that it grants')
    .action((options: NewPrice) => withDatabase(config, (db) => setPrice(db, options)))
  price
    .command('withdraw')
    .description('Withdraw a price. Existing subscriptions keep their plan and credits.')
    .requiredOption('--price <id>', 'Stripe price id')
    .action(({ price: id }: { price: string }) => withDatabase(config, (db) => withdraw(db, id)))
  price
    .command('list')
    .description('List all prices, including withdrawn ones.')
    .action(() => withDatabase(config, (db) => asOwner(db, async (trx) => (await listPrices(trx)).map(present))))
  return price
}

type NewPrice = { price: string; credits: number; plan?: string }

function setPrice(db: Db, { price: id, credits, ...given }: NewPrice) {
  const plan = given.plan ?? null
  return asOwner(db, async (trx) => {
    const plans = (await listPlans(trx)).map((known) => known.name)
    if (plan !== null && !plans.includes(plan)) {
      throw new Refusal(`Unknown plan. Plans: ${plans.join(', ')}.`)
    }
    return present(await savePrice(trx, { id, credits, plan }))
  })
}

async function withdraw(db: Db, id: string) {
  const price = await asOwner(db, (trx) => withdrawPrice(trx, id))
  if (price === undefined) throw new Refusal('Price not found. "pnpm admin price list" shows all prices.')
  return present(price)
}

function present({ id, plan, credits, withdrawn }: Price) {
  return { price: id, plan, credits, withdrawn }
}
