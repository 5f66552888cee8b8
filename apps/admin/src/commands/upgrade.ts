import { statfs } from 'node:fs/promises'
import type { Db } from '@probity/database/connect'
import { migrate } from '@probity/database/migrate'
import { rejectForeignSchema } from '@probity/database/schema-version'
import { planUpgrade, type UpgradePlan } from '@probity/database/upgrade-plan'
import { Command } from 'commander'
import { makeBackup } from '../backup/make.ts'
import type { Environment } from '../backup/postgres-program.ts'
import type { AdminConfig } from '../config.ts'
import { withDatabase } from '../database.ts'
import { Refusal } from '../refusal.ts'

type UpgradeOptions = { check?: boolean; backup?: string }

const HOUR_MS = 60 * 60 * 1_000
/** A backup that is older says too little of today. */
const BACKUP_HOURS_MAX = 24
/** From here on adding something to a table may take minutes where it has to be read. */
const ROWS_MANY = 1_000_000

export function upgradeCommand(config: AdminConfig, env: Environment): Command {
  return new Command('upgrade')
    .description('Make a backup and bring the database to this version, or say beforehand what that would do.')
    .option('--check', 'change nothing, and say what would be done and what speaks against it')
    .option('--backup <folder>', 'where the backup goes')
    .action(({ check, backup }: UpgradeOptions) =>
      withDatabase(config, async (db) => {
        await rejectForeignSchema(db).catch((error: Error) => {
          throw new Refusal(error.message)
        })
        if (check) return lookAhead(db, backup)
        if (backup === undefined)
          throw new Refusal('Say where the backup goes (--backup FOLDER), or only look (--check).')
        const { file } = await makeBackup(db, { url: config.ownerUrl, env }, backup)
        return { backup: file, migrated: await migrate(config.ownerUrl) }
      }),
    )
}

/** Exits with 1 if there is a warning. `migrationsFolder` is for tests of migrations that no version has yet. */
export async function lookAhead(db: Db, folder: string | undefined, migrationsFolder?: string) {
  const plan = await planUpgrade(db, migrationsFolder)
  const freeBytes = folder === undefined ? undefined : await measureFree(folder)
  const warnings = listWarnings(plan, freeBytes)
  if (warnings.length > 0) process.exitCode = 1
  return {
    migrations: plan.migrations,
    last_backup: plan.lastBackup ?? null,
    database_bytes: plan.databaseBytes,
    ...(freeBytes !== undefined && { free_bytes: freeBytes }),
    warnings,
  }
}

async function measureFree(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder).catch(() => {
    throw new Refusal(`The folder ${folder} is not there.`)
  })
  return bavail * bsize
}

function listWarnings({ migrations, lastBackup, databaseBytes }: UpgradePlan, freeBytes: number | undefined): string[] {
  const hours = lastBackup && Math.floor((Date.now() - lastBackup.getTime()) / HOUR_MS)
  const large = migrations.flatMap(({ name, tables }) =>
    tables
      .filter(({ rows }) => rows >= ROWS_MANY)
      .map(
        (table) => `${name} touches ${table.name}, which has some ${Math.round(table.rows)} rows: it may take a while.`,
      ),
  )
  return [
    ...(hours === undefined ? ['No backup is known of: make one with --backup FOLDER.'] : []),
    ...(hours !== undefined && hours >= BACKUP_HOURS_MAX ? [`The last backup is ${hours} hours old.`] : []),
    // A dump is compressed, so this asks for more than it needs.
    ...(freeBytes !== undefined && freeBytes < databaseBytes
      ? ['The folder has less room than the database takes.']
      : []),
    ...large,
  ]
}
