import type { KeyMode } from '@probity/contract/constants/keys'
import { DEFAULT_SCOPES, KEY_SCOPES, type KeyScope } from '@probity/contract/constants/keys'
import { type ApiKey, insertKey, listKeys, revokeKey } from '@probity/database/accounts/keys'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { Command, InvalidArgumentError, Option } from 'commander'
import type { AdminConfig } from '../config.ts'
import { withDatabase } from '../database.ts'
import { Refusal } from '../refusal.ts'
import { getAccountOrRefuse } from './account.ts'

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
    .action((options: { account: string; key: string }) => withDatabase(config, (db) => revoke(db, options)))
  return key
}

async function createKey(db: Db, { account, name, mode, scopes }: NewKey) {
  await getAccountOrRefuse(db, account)
  const created = await inTenant(db, account, (trx) => insertKey(trx, account, { name, mode, scopes }))
  return { ...present(created.key), key: created.text }
}

const KEYS_SHOWN_MAX = 1_000

async function showKeys(db: Db, account: string) {
  await getAccountOrRefuse(db, account)
  const page = { skip: 0, limit: KEYS_SHOWN_MAX }
  const { keys } = await inTenant(db, account, (trx) => listKeys(trx, { accountId: account }, page))
  return keys.map(present)
}

async function revoke(db: Db, { account, key: keyId }: { account: string; key: string }) {
  await getAccountOrRefuse(db, account)
  const key = await inTenant(db, account, (trx) => revokeKey(trx, { accountId: account }, keyId))
  if (key === undefined) throw new Refusal('The account has no key with this id.')
  return present(key)
}

function present({ id, accountId, name, mode, hint, scopes, createdAt, expiresAt, lastUsedAt, revokedAt }: ApiKey) {
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
