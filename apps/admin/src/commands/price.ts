import { listPlans } from '@probity/database/accounts'
import { asOwner, type Db } from '@probity/database/connect'
import { listPrices, type Price, savePrice, withdrawPrice } from '@probity/database/prices'
import { Command } from 'commander'
import type { AdminConfig } from '../config.ts'
import { withDatabase } from '../database.ts'
import { Refusal } from '../refusal.ts'
import { readCredits } from './account.ts'

/** What is sold through Stripe. */
export function priceCommands(config: AdminConfig): Command {
  const price = new Command('price').description('What is sold through Stripe, by the ids of prices there.')
  price
    .command('set')
    .description(
      'Sell a price: credits at once or, with a plan, the plan and its credits for each period that is paid.',
    )
    .requiredOption('--price <id>', 'the price at Stripe, as price_…')
    .requiredOption('--credits <n>', 'how many credits it gives', readCredits)
    .option('--plan <plan>', 'the plan that it gives')
    .action((options: NewPrice) => withDatabase(config, (db) => setPrice(db, options)))
  price
    .command('withdraw')
    .description('Sell a price no more. Whoever has subscribed to it keeps what it gives.')
    .requiredOption('--price <id>', 'the price at Stripe')
    .action(({ price: id }: { price: string }) => withDatabase(config, (db) => withdraw(db, id)))
  price
    .command('list')
    .description('List all prices, those that were withdrawn too.')
    .action(() => withDatabase(config, (db) => asOwner(db, async (trx) => (await listPrices(trx)).map(present))))
  return price
}

type NewPrice = { price: string; credits: number; plan?: string }

function setPrice(db: Db, { price: id, credits, ...given }: NewPrice) {
  const plan = given.plan ?? null
  return asOwner(db, async (trx) => {
    const plans = (await listPlans(trx)).map((known) => known.name)
    if (plan !== null && !plans.includes(plan)) {
      throw new Refusal(`There is no plan of that name. Plans: ${plans.join(', ')}.`)
    }
    return present(await savePrice(trx, { id, credits, plan }))
  })
}

async function withdraw(db: Db, id: string) {
  const price = await asOwner(db, (trx) => withdrawPrice(trx, id))
  if (price === undefined) throw new Refusal('There is no such price. "pnpm admin price list" shows all.')
  return present(price)
}

function present({ id, plan, credits, withdrawn }: Price) {
  return { price: id, plan, credits, withdrawn }
}
