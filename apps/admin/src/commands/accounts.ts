import { randomUUID } from 'node:crypto'
import { DEFAULT_SCOPES, KEY_SCOPES, type KeyMode, type KeyScope } from '@probity/contract/constants/keys'
import {
  type Account,
  findAccount,
  insertAccount,
  listAccounts,
  listPlans,
  updateAccount,
  updateRetention,
} from '@probity/database/accounts/accounts'
import { type ApiKey, insertKey, listKeys, revokeKey } from '@probity/database/accounts/keys'
import { postCredits } from '@probity/database/billing/ledger'
import { asOwner, type Db, inTenant, type Trx } from '@probity/database/connection/connect'
import { arePartitionsReady, makePartitions } from '@probity/database/system/retention'
import { Command, InvalidArgumentError, Option } from 'commander'
import type { AdminConfig } from '../config.ts'
import { UserError, withDatabase } from '../database.ts'

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
    .action(() =>
      withDatabase(config, (db) => asOwner(db, async (trx) => (await listAccounts(trx)).map(presentAccount))),
    )
  return account
}

async function createAccount(db: Db, { name, plan, credits, unlimited }: NewAccount) {
  if (credits < 0) throw new UserError('Initial credits cannot be negative.')
  const account = await asOwner(db, async (trx) => {
    const plans = (await listPlans(trx)).map((known) => known.name)
    if (!plans.includes(plan)) throw new UserError(`Unknown plan. Plans: ${plans.join(', ')}.`)
    return insertAccount(trx, { name, plan, unlimited })
  })
  return credits > 0 ? grant(db, { account: account.id, credits, note: 'opening balance' }) : presentAccount(account)
}

type Grant = { account: string; credits: number; note?: string }

async function grant(db: Db, { account: accountId, credits, note }: Grant) {
  await getAccountOrRefuse(db, accountId)
  if (credits === 0) throw new UserError('Credits must not be zero.')
  const kind = credits > 0 ? 'grant' : 'adjust'
  return inTenant(db, accountId, async (trx) => {
    const posting = await postCredits(trx, { kind, credits, subject: randomUUID(), ...(note && { note }) })
    if (posting.kind === 'insufficient') throw new UserError(`The account has only ${posting.available} credits.`)
    return presentAccount((await findAccount(trx, accountId)) as Account)
  })
}

type Retention = { account: string; days: number }

async function setRetention(db: Db, { account: accountId, days }: Retention) {
  await getAccountOrRefuse(db, accountId)
  // Partitions first: as soon as the retention is longer, new rows need partitions that far ahead.
  await makePartitions(db, days)
  return asOwner(db, async (trx) => {
    const isReady = await arePartitionsReady(trx, days)
    if (!isReady) throw new UserError('Another process is creating partitions. Run the command again.')
    return presentAccount(await updateRetention(trx, accountId, days))
  })
}

type Named = { account: string }

/** For accounts that locked themselves out. */
async function openNetwork(db: Db, { account: accountId }: Named) {
  await getAccountOrRefuse(db, accountId)
  return asOwner(db, async (trx) => {
    await updateAccount(trx, accountId, { ipAllowList: [] })
    return presentAccount((await findAccount(trx, accountId)) as Account)
  })
}

/** The account with this id, for commands that name one. */
export async function getAccountOrRefuse(db: Db, accountId: string): Promise<Account> {
  const account = await asOwner(db, (trx: Trx) => findAccount(trx, accountId))
  if (account === undefined) throw new UserError('Account not found. "probity-admin account list" shows all accounts.')
  return account
}

function presentAccount({ id, name, plan, unlimited, available, reserved, spent, retentionDays, createdAt }: Account) {
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

type NewKey = { account: string; name: string; mode: KeyMode; scopes: KeyScope[] }

/** API keys of any account. */
export function keyCommands(config: AdminConfig): Command {
  const key = new Command('key').description('API keys.')
  key
    .command('create')
    .description('Create a key and print it. It is not shown again.')
    .requiredOption('--account <id>', 'the account')
    .requiredOption('--name <name>', 'name of the key')
    .addOption(new Option('--mode <mode>', 'live or test').choices(['live', 'test']).default('live'))
    .option('--scopes <list>', `comma-separated: ${Object.keys(KEY_SCOPES).join(', ')}`, readScopes, [
      ...DEFAULT_SCOPES,
    ])
    .action((options: NewKey) => withDatabase(config, (db) => createKey(db, options)))
  key
    .command('list')
    .description('List the keys of an account, newest first.')
    .requiredOption('--account <id>', 'the account')
    .action(({ account }: { account: string }) => withDatabase(config, (db) => showKeys(db, account)))
  key
    .command('revoke')
    .description('Revoke a key permanently. All processes reject it within a second.')
    .requiredOption('--account <id>', 'the account')
    .requiredOption('--key <id>', 'the id of the key')
    .action((options: { account: string; key: string }) => withDatabase(config, (db) => revokeOne(db, options)))
  return key
}

async function createKey(db: Db, { account, name, mode, scopes }: NewKey) {
  await getAccountOrRefuse(db, account)
  const created = await inTenant(db, account, (trx) => insertKey(trx, account, { name, mode, scopes }))
  return { ...presentKey(created.key), key: created.text }
}

const KEYS_SHOWN_MAX = 1_000

async function showKeys(db: Db, account: string) {
  await getAccountOrRefuse(db, account)
  const page = { skip: 0, limit: KEYS_SHOWN_MAX }
  const { keys } = await inTenant(db, account, (trx) => listKeys(trx, { accountId: account }, page))
  return keys.map(presentKey)
}

async function revokeOne(db: Db, { account, key: keyId }: { account: string; key: string }) {
  await getAccountOrRefuse(db, account)
  const key = await inTenant(db, account, (trx) => revokeKey(trx, { accountId: account }, keyId))
  if (key === undefined) throw new UserError('The account has no key with this id.')
  return presentKey(key)
}

function presentKey({ id, accountId, name, mode, hint, scopes, createdAt, expiresAt, lastUsedAt, revokedAt }: ApiKey) {
  const times = { created_at: createdAt, expires_at: expiresAt, last_used_at: lastUsedAt, revoked_at: revokedAt }
  return { id, account_id: accountId, name, livemode: mode === 'live', hint, scopes, ...times }
}

function readScopes(text: string): KeyScope[] {
  const scopes = text.split(',').map((scope) => scope.trim())
  if (!scopes.every(isScope)) {
    throw new InvalidArgumentError(`Valid scopes: ${Object.keys(KEY_SCOPES).join(', ')}.`)
  }
  return scopes
}

function isScope(text: string): text is KeyScope {
  return text in KEY_SCOPES
}
