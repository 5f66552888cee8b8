import { listPlans } from '@probity/database/accounts/accounts'
import { listPrices, type Price, savePrice, withdrawPrice } from '@probity/database/billing/payments'
import { type LedgerMismatch, listLedgerMismatches, resumeCharging } from '@probity/database/billing/reconciliation'
import { asOwner, type Db } from '@probity/database/connection/connect'
import { Command } from 'commander'
import type { AdminConfig } from '../config.ts'
import { UserError, withDatabase } from '../database.ts'
import { getAccountOrRefuse, readCredits } from './accounts.ts'

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
    .action(() => withDatabase(config, (db) => asOwner(db, async (trx) => (await listPrices(trx)).map(presentPrice))))
  return price
}

type NewPrice = { price: string; credits: number; plan?: string }

function setPrice(db: Db, { price: id, credits, ...given }: NewPrice) {
  const plan = given.plan ?? null
  return asOwner(db, async (trx) => {
    const plans = (await listPlans(trx)).map((known) => known.name)
    if (plan !== null && !plans.includes(plan)) {
      throw new UserError(`Unknown plan. Plans: ${plans.join(', ')}.`)
    }
    return presentPrice(await savePrice(trx, { id, credits, plan }))
  })
}

async function withdraw(db: Db, id: string) {
  const price = await asOwner(db, (trx) => withdrawPrice(trx, id))
  if (price === undefined) throw new UserError('Price not found. "probity-admin price list" shows all prices.')
  return presentPrice(price)
}

function presentPrice({ id, plan, credits, withdrawn }: Price) {
  return { price: id, plan, credits, withdrawn }
}

type ReconciliationOptions = { resume?: string }

/** Reconciles the complete ledger of all accounts. Workers reconcile recent transactions only. */
export function reconciliationCommand(config: AdminConfig): Command {
  return new Command('audit')
    .description('Reconcile the ledger and list mismatches. Exits with 1 if there are any.')
    .option('--resume <account>', 'end the hold of an account if its ledger has no mismatch')
    .action(async ({ resume }: ReconciliationOptions) => {
      let faults: LedgerMismatch[] = []
      await withDatabase(config, async (db) => {
        faults = resume === undefined ? await listAll(db) : await resumeAccount(db, resume)
        return { faults: faults.map(presentMismatch) }
      })
      if (faults.length > 0) throw new UserError('Ledger mismatch.')
    })
}

function listAll(db: Db): Promise<LedgerMismatch[]> {
  return asOwner(db, (trx) => listLedgerMismatches(trx, { all: true }))
}

async function resumeAccount(db: Db, accountId: string): Promise<LedgerMismatch[]> {
  await getAccountOrRefuse(db, accountId)
  return asOwner(db, (trx) => resumeCharging(trx, accountId))
}

function presentMismatch({ accountId, kind, subject, expected, found }: LedgerMismatch) {
  return { account: accountId, kind, subject, expected, found }
}
