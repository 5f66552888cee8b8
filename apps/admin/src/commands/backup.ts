import { spawn } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { listLedgerMismatches } from '@probity/database/billing/reconciliation'
import { asOwner, connect, type Db } from '@probity/database/connection/connect'
import {
  atOneMoment,
  type Contents,
  countContents,
  describeTarget,
  dropEverything,
  ensureRoles,
  recordBackup,
} from '@probity/database/system/backups'
import { migrate } from '@probity/database/system/migrate'
import { listOwnMigrations } from '@probity/database/system/schema-version'
import { Command } from 'commander'
import type { AdminConfig, Environment } from '../config.ts'
import { explain, UserError, withDatabase } from '../database.ts'

export function backupCommand(config: AdminConfig, env: Environment): Command {
  return new Command('backup')
    .description('Create a backup of the database and its manifest in a folder.')
    .argument('<folder>')
    .option('--keep <number>', 'keep only this many of the newest backups')
    .action((folder: string, { keep }: { keep?: string }) =>
      withDatabase(config, async (db) => {
        const kept = keep === undefined ? undefined : readKeep(keep)
        const { file, manifest } = await makeBackup(db, { url: config.ownerUrl, env }, folder)
        const removed = kept === undefined ? [] : await removeOldBackups(folder, kept)
        return { file, ...manifest, removed }
      }),
    )
}

export function restoreCommand(config: AdminConfig, env: Environment): Command {
  return new Command('restore')
    .description('Restore a backup into an empty database.')
    .argument('<file>', 'the .dump file; its .json must be in the same folder')
    .option('--replace <database>', 'name of the database to overwrite')
    .action(async (file: string, { replace }: { replace?: string }) => {
      const result = await restoreBackup({ url: config.ownerUrl, env }, file, replace).catch((error: unknown) => {
        throw explain(error)
      })
      process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
    })
}

function readKeep(text: string): number {
  const keep = Number(text)
  if (!Number.isInteger(keep) || keep < 1) throw new UserError('--keep must be a whole number of 1 or more.')
  return keep
}

/** Readable by its owner only: a backup contains validated addresses and the session secret. */
const OWNER_ONLY = 0o600

/** Writes one snapshot of the database and its manifest. The file gets its final name when it is complete. */
export async function makeBackup(
  db: Db,
  server: Server,
  folder: string,
): Promise<{ file: string; manifest: Manifest }> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const madeAt = new Date()
  const file = join(folder, `probity-${madeAt.toISOString().replace(/[-:]|\.\d+/g, '')}.dump`)
  const draft = join(folder, `.${randomUUID()}.part`)
  try {
    const { snapshot: _, ...moment } = await atOneMoment(db, async (moment) => {
      const options = ['--format=custom', '--no-owner', `--snapshot=${moment.snapshot}`, `--file=${draft}`]
      await runPostgresProgram('pg_dump', server, options)
      return moment
    })
    await chmod(draft, OWNER_ONLY)
    const [{ size: bytes }, sha256] = await Promise.all([stat(draft), sha256Of(draft)])
    const manifest: Manifest = { format: 1, made_at: madeAt.toISOString(), ...moment, bytes, sha256 }
    await writeFile(manifestPath(file), `${JSON.stringify(manifest, null, 2)}\n`, { mode: OWNER_ONLY })
    await rename(draft, file)
    await recordBackup(db, { madeAt, bytes, sha256 })
    return { file, manifest }
  } finally {
    await rm(draft, { force: true })
  }
}

/** Removes all but the newest backups, by the time in their names. Other files are kept. */
async function removeOldBackups(folder: string, keep: number): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => /^probity-\d{8}T\d{6}Z\.dump$/.test(name)).toSorted()
  const old = names.slice(0, Math.max(0, names.length - keep)).map((name) => join(folder, name))
  for (const file of old) {
    await rm(file)
    await rm(manifestPath(file), { force: true })
  }
  return old
}

type Restored = { restored: string; made_at: string; contents: Contents; migrated: string[] }

/** Restores a backup into an empty database, or into the named one. Verifies the backup before it changes anything. */
async function restoreBackup(server: Server, file: string, replace: string | undefined): Promise<Restored> {
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
  if (faults.length > 0)
    throw new UserError('The backup was restored, but it has ledger mismatches: run "admin audit".')
  return { restored: file, made_at: manifest.made_at, contents, migrated }
}

async function refuseUnfit(file: string, manifest: Manifest): Promise<void> {
  const own = await listOwnMigrations()
  const newer = manifest.migrations.filter((name) => !own.includes(name))
  if (newer.length > 0) {
    throw new UserError(
      `The backup was created by a newer version with the migrations ${newer.join(', ')}. Restore it with that version.`,
    )
  }
  const sum = await sha256Of(file).catch((error: NodeJS.ErrnoException) => {
    throw new UserError(`${file} cannot be read (${error.code}).`)
  })
  if (sum !== manifest.sha256) throw new UserError(`${file} is damaged: the checksum does not match.`)
}

async function makeRoom(db: Db, replace: string | undefined): Promise<void> {
  const { name, isEmpty, others } = await describeTarget(db)
  if (isEmpty) return
  if (replace !== name) {
    throw new UserError(`The database ${name} is not empty. To overwrite it, add --replace ${name}`)
  }
  if (others > 0) throw new UserError('Probity processes are still connected. Stop them first.')
  await dropEverything(db)
}

function refuseDifference(expected: Contents, found: Contents): void {
  const names = Object.keys(expected) as (keyof Contents)[]
  const wrong = names.filter((name) => expected[name] !== found[name])
  if (wrong.length > 0) {
    throw new UserError(`The restored database differs from the backup: ${wrong.join(', ')}.`)
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

/** Describes a backup, so that a restore can check whether it is possible before it changes anything. */
type Manifest = {
  format: 1
  made_at: string
  migrations: string[]
  /** Roles that have privileges in the database. A dump does not contain them. */
  roles: string[]
  bytes: number
  sha256: string
  /** Compared after a restore. */
  contents: Contents
}

function manifestPath(dump: string): string {
  return dump.replace(/(\.dump)?$/, '.json')
}

async function readManifest(dump: string): Promise<Manifest> {
  const path = manifestPath(dump)
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UserError(`The manifest ${path} of the backup cannot be read (${error.code}).`)
  })
  const manifest: unknown = JSON.parse(text)
  if (!isManifest(manifest))
    throw new UserError(`${path} was not written by "admin backup", or by an unsupported version.`)
  return manifest
}

function isManifest(value: unknown): value is Manifest {
  return typeof value === 'object' && value !== null && 'format' in value && value.format === 1 && 'sha256' in value
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

/** The database, and the environment to find its programs in. */
type Server = { url: string; env: Environment }

/** Runs a PostgreSQL program. The password is passed in the environment, because every local user can read arguments. */
async function runPostgresProgram(
  program: 'pg_dump' | 'pg_restore',
  { url, env }: Server,
  args: string[],
): Promise<void> {
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...env, ...connectionVariables(url) },
  })
  const complaints = text(child.stderr)
  const [code] = await once(child, 'exit').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT'
      ? new UserError(`${program} is not installed. It is part of the PostgreSQL client programs.`)
      : error
  })
  if (code !== 0) throw new UserError(`${program} failed: ${(await complaints).trim()}`)
}

/** The libpq environment variables of a URL, including query parameters such as sslmode. */
function connectionVariables(url: string): Record<string, string> {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url)
  const parts = {
    PGHOST: searchParams.get('host') ?? decodeURIComponent(hostname.replace(/^\[(.*)\]$/, '$1')),
    PGPORT: port,
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: decodeURIComponent(pathname.slice(1)),
    PGSSLMODE: searchParams.get('sslmode') ?? '',
    PGSSLROOTCERT: searchParams.get('sslrootcert') ?? '',
  }
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== ''))
}
