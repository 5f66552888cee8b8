import { randomUUID } from 'node:crypto'
import {
  type Account,
  findAccount,
  insertAccount,
  listAccounts,
  listPlans,
  updateAccount,
  updateRetention,
} from '@probity/database/accounts/accounts'
import { postCredits } from '@probity/database/billing/ledger'
import { asOwner, type Db, inTenant, type Trx } from '@probity/database/connection/connect'
import { arePartitionsReady, makePartitions } from '@probity/database/system/retention'
import { Command, InvalidArgumentError } from 'commander'
import type { AdminConfig } from '../config.ts'
import { withDatabase } from '../database.ts'
import { Refusal } from '../refusal.ts'

type NewAccount = { name: string; plan: string; credits: number; unlimited: boolean }

/** Accounts and their credits. */
export function accountCommands(config: AdminConfig): Command {
  const account = new Command('account').description('Accounts and their credits.')
  account
    .command('create')
    .description('Create an account.')
    .requiredOption('--name <name>', 'name of the account')
    .option('--plan <plan>', 'free, payg, starter, growth or scale', 'payg')
    .option('--credits <n>', 'initial credits', readCredits, 0)
    .option('--unlimited', 'unlimited credits', false)
    .action((options: NewAccount) => withDatabase(config, (db) => createAccount(db, options)))
  account
    .command('grant')
    .description('Grant credits to an account. A negative number deducts credits.')
    .requiredOption('--account <id>', 'the account')
    .requiredOption('--credits <n>', 'number of credits', readCredits)
    .option('--note <text>', 'note for the ledger')
    .action((options: Grant) => withDatabase(config, (db) => grant(db, options)))
  account
    .command('retention')
    .description('Set the retention of results in days. Existing results keep their expiry date.')
    .requiredOption('--account <id>', 'the account')
    .requiredOption('--days <n>', '0 to 365', readDays)
    .action((options: Retention) => withDatabase(config, (db) => setRetention(db, options)))
  account
    .command('open-network')
    .description('Clear the IP allowlist of an account.')
    .requiredOption('--account <id>', 'the account')
    .action((options: Named) => withDatabase(config, (db) => openNetwork(db, options)))
  account
    .command('list')
    .description('List all accounts with their balances.')
    .action(() => withDatabase(config, (db) => asOwner(db, async (trx) => (await listAccounts(trx)).map(present))))
  return account
}

async function createAccount(db: Db, { name, plan, credits, unlimited }: NewAccount) {
  if (credits < 0) throw new Refusal('Initial credits cannot be negative.')
  const account = await asOwner(db, async (trx) => {
    const plans = (await listPlans(trx)).map((known) => known.name)
    if (!plans.includes(plan)) throw new Refusal(`Unknown plan. Plans: ${plans.join(', ')}.`)
    return insertAccount(trx, { name, plan, unlimited })
  })
  return credits > 0 ? grant(db, { account: account.id, credits, note: 'opening balance' }) : present(account)
}

type Grant = { account: string; credits: number; note?: string }

async function grant(db: Db, { account: accountId, credits, note }: Grant) {
  await getAccountOrRefuse(db, accountId)
  if (credits === 0) throw new Refusal('Credits must not be zero.')
  const kind = credits > 0 ? 'grant' : 'adjust'
  return inTenant(db, accountId, async (trx) => {
    const posting = await postCredits(trx, { kind, credits, subject: randomUUID(), ...(note && { note }) })
    if (posting.kind === 'insufficient') throw new Refusal(`The account has only ${posting.available} credits.`)
    return present((await findAccount(trx, accountId)) as Account)
  })
}

type Retention = { account: string; days: number }

async function setRetention(db: Db, { account: accountId, days }: Retention) {
  await getAccountOrRefuse(db, accountId)
  // Partitions first: as soon as the retention is longer, new rows need partitions that far ahead.
  await makePartitions(db, days)
  return asOwner(db, async (trx) => {
    const isReady = await arePartitionsReady(trx, days)
    if (!isReady) throw new Refusal('Another process is creating partitions. Run the command again.')
    return present(await updateRetention(trx, accountId, days))
  })
}

type Named = { account: string }

/** For accounts that locked themselves out. */
async function openNetwork(db: Db, { account: accountId }: Named) {
  await getAccountOrRefuse(db, accountId)
  return asOwner(db, async (trx) => {
    await updateAccount(trx, accountId, { ipAllowList: [] })
    return present((await findAccount(trx, accountId)) as Account)
  })
}

/** The account with this id, for commands that name one. */
export async function getAccountOrRefuse(db: Db, accountId: string): Promise<Account> {
  const account = await asOwner(db, (trx: Trx) => findAccount(trx, accountId))
  if (account === undefined) throw new Refusal('Account not found. "pnpm admin account list" shows all accounts.')
  return account
}

function present({ id, name, plan, unlimited, available, reserved, spent, retentionDays, createdAt }: Account) {
  const credits = { available, reserved, used: spent, unlimited }
  return { id, name, plan, credits, retention_days: retentionDays, created_at: createdAt }
}

/** For options that are a number of credits. */
export function readCredits(text: string): number {
  const credits = Number(text)
  if (!Number.isSafeInteger(credits)) throw new InvalidArgumentError('Credits must be a whole number.')
  return credits
}

const DAYS_MAX = 365

function readDays(text: string): number {
  const days = Number(text)
  const isInRange = Number.isInteger(days) && days >= 0 && days <= DAYS_MAX
  if (text.trim() === '' || !isInRange)
    throw new InvalidArgumentError(`Days must be a whole number from 0 to ${DAYS_MAX}.`)
  return days
}
