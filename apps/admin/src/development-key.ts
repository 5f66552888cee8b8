import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { KEY_SCOPES, type KeyScope } from '@probity/contract/constants/keys'
import { insertAccount, listAccounts } from '@probity/database/accounts/accounts'
import { findAuthKey, hashKey, insertKey } from '@probity/database/accounts/keys'
import { asOwner, connect, type Db, inTenant } from '@probity/database/connection/connect'

// In the checkout and ignored by Git: a key is shown only once, and developers reuse it.
const FILE = fileURLToPath(new URL('../../../.local/test-key', import.meta.url))
const ACCOUNT_NAME = 'Development'

/** A test key for `pnpm dev`: the previous one if it works with this database, else a new one. */
export async function ensureTestKey(ownerUrl: string): Promise<string> {
  const db = connect(ownerUrl, { connectionsMax: 1, applicationName: 'probity-admin' })
  try {
    return (await findLastKey(db)) ?? (await makeKey(db))
  } finally {
    await db.destroy()
  }
}

async function findLastKey(db: Db): Promise<string | undefined> {
  try {
    const text = readFileSync(FILE, 'utf8').trim()
    const key = await findAuthKey(db, hashKey(text))
    return key && !key.revokedAt ? text : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function makeKey(db: Db): Promise<string> {
  const account = await asOwner(db, async (trx) => {
    const known = (await listAccounts(trx)).find((one) => one.name === ACCOUNT_NAME)
    return known ?? insertAccount(trx, { name: ACCOUNT_NAME, plan: 'payg', unlimited: true })
  })
  const scopes = Object.keys(KEY_SCOPES) as KeyScope[]
  const { text } = await inTenant(db, account.id, (trx) =>
    insertKey(trx, account.id, { mode: 'test', name: 'pnpm dev', scopes }),
  )
  mkdirSync(dirname(FILE), { recursive: true })
  writeFileSync(FILE, `${text}\n`, { mode: 0o600 })
  return text
}
