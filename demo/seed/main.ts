import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '@probity/admin/config'
import { readConfig as readApiConfig } from '@probity/api/server/config'
import { asOwner, connect, type Db } from '@probity/database/connection/connect'
import { environmentFor } from '@probity/settings/parse'
import { openStorage } from '@probity/uploads/open-storage'
import { createUser, type DemoUser } from '../account.ts'
import { findSeeded, isEmpty, seedAccount } from './seed.ts'

/**
 * `pnpm dev --seed` runs this program after the migrations. It fills an empty database with demo data and prints the user as JSON. In a database
 * that it filled earlier it changes nothing and prints the same user; of any other database it changes and prints nothing.
 */
type Seeded = { accountId: string; user: DemoUser }

const { ownerUrl } = readConfig(process.env)
// In the checkout and ignored by Git, one file per database: the password is stored as a hash only, and developers reuse it.
const name = createHash('sha256').update(ownerUrl).digest('hex').slice(0, 12)
const folder = join(import.meta.dirname, '../../.local')
const file = join(folder, `seed-${name}.json`)

const db = connect(ownerUrl, { connectionsMax: 1, applicationName: 'probity-seed' })
try {
  const user = await seed(db)
  if (user) process.stdout.write(`${JSON.stringify(user)}\n`)
  else process.stderr.write('The database is not empty. No demo data was added.\n')
} finally {
  await db.destroy()
}

async function seed(database: Db): Promise<DemoUser | undefined> {
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Seeded) : undefined
  const found = known && (await asOwner(database, (trx) => findSeeded(trx, known.accountId)))
  if (known && found === 'seeded') return known.user
  const seeded = known && found === 'without_data' ? known : await begin(database)
  if (seeded === undefined) return undefined
  process.stderr.write('Adding demo data of 90 days …\n')
  await seedAccount(database, seeded.accountId, openStorage(readApiConfig(environmentFor('api', process.env)).storage))
  return seeded.user
}

/** Creates the user and stores the password first: if the program is interrupted later, the next run continues with the same account. */
async function begin(database: Db): Promise<Seeded | undefined> {
  if (!(await asOwner(database, isEmpty))) return undefined
  const seeded = await createUser(database)
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, `${JSON.stringify(seeded)}\n`, { mode: 0o600 })
  return seeded
}
