import { listLedgerMismatches } from '@probity/database/billing/reconciliation'
import { asOwner, connect, type Db } from '@probity/database/connection/connect'
import {
  type Contents,
  countContents,
  describeTarget,
  dropEverything,
  ensureRoles,
} from '@probity/database/system/backups'
import { migrate } from '@probity/database/system/migrate'
import { listOwnMigrations } from '@probity/database/system/schema-version'
import { Refusal } from '../refusal.ts'
import { type Manifest, readManifest, sha256Of } from './manifest.ts'
import { runPostgresProgram, type Server } from './postgres-program.ts'

type Restored = { restored: string; made_at: string; contents: Contents; migrated: string[] }

/** Restores a backup into an empty database, or into the named one. Verifies the backup before it changes anything. */
export async function restoreBackup(server: Server, file: string, replace: string | undefined): Promise<Restored> {
  const { url } = server
  const manifest = await readManifest(file)
  await refuseUnfit(file, manifest)
  await withDb(url, async (db) => {
    await makeRoom(db, replace)
    await ensureRoles(db, manifest.roles)
  })
  const options = ['--no-owner', '--exit-on-error', '--single-transaction', '--dbname=', file]
  await runPostgresProgram('pg_restore', server, options)
  const contents = await withDb(url, (db) => asOwner(db, countContents))
  refuseDifference(manifest.contents, contents)
  const migrated = await migrate(url)
  const faults = await withDb(url, (db) => asOwner(db, (trx) => listLedgerMismatches(trx, { all: true })))
  if (faults.length > 0) throw new Refusal('The backup was restored, but it has ledger mismatches: run "admin audit".')
  return { restored: file, made_at: manifest.made_at, contents, migrated }
}

async function refuseUnfit(file: string, manifest: Manifest): Promise<void> {
  const own = await listOwnMigrations()
  const newer = manifest.migrations.filter((name) => !own.includes(name))
  if (newer.length > 0) {
    throw new Refusal(
      `The backup was created by a newer version with the migrations ${newer.join(', ')}. Restore it with that version.`,
    )
  }
  const sum = await sha256Of(file).catch((error: NodeJS.ErrnoException) => {
    throw new Refusal(`${file} cannot be read (${error.code}).`)
  })
  if (sum !== manifest.sha256) throw new Refusal(`${file} is damaged: the checksum does not match.`)
}

async function makeRoom(db: Db, replace: string | undefined): Promise<void> {
  const { name, isEmpty, others } = await describeTarget(db)
  if (isEmpty) return
  if (replace !== name) {
    throw new Refusal(`The database ${name} is not empty. To overwrite it, add --replace ${name}`)
  }
  if (others > 0) throw new Refusal('Probity processes are still connected. Stop them first.')
  await dropEverything(db)
}

function refuseDifference(expected: Contents, found: Contents): void {
  const names = Object.keys(expected) as (keyof Contents)[]
  const wrong = names.filter((name) => expected[name] !== found[name])
  if (wrong.length > 0) {
    throw new Refusal(`The restored database differs from the backup: ${wrong.join(', ')}.`)
  }
}

async function withDb<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const db = connect(url, { connectionsMax: 1, applicationName: 'probity-restore' })
  try {
    return await work(db)
  } finally {
    await db.destroy()
  }
}
