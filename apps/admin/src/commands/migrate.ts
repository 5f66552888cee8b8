import { statfs } from 'node:fs/promises'
import type { Db } from '@probity/database/connection/connect'
import { migrate, planUpgrade, type UpgradePlan } from '@probity/database/system/migrate'
import { ForeignMigrations, rejectForeignSchema } from '@probity/database/system/schema-version'
import { Command } from 'commander'
import type { AdminConfig, Environment } from '../config.ts'
import { explainNoEntry, UserError, withDatabase } from '../database.ts'
import { makeBackup } from './backup.ts'

export function migrateCommand(config: AdminConfig): Command {
  return new Command('migrate').description('Apply all migrations of this version.').action(async () => {
    const done = await migrate(config.ownerUrl).catch((error: unknown) => {
      throw error instanceof ForeignMigrations ? new UserError(error.message) : explainNoEntry(error)
    })
    process.stdout.write(`${JSON.stringify({ migrated: done })}\n`)
  })
}

type UpgradeOptions = { check?: boolean; backup?: string }

const HOUR_MS = 60 * 60 * 1_000
/** Age from which a backup is reported as too old. */
const BACKUP_HOURS_MAX = 24
/** Table size from which a migration that scans it may take minutes. */
const ROWS_MANY = 1_000_000

export function upgradeCommand(config: AdminConfig, env: Environment): Command {
  return new Command('upgrade')
    .description('Create a backup and apply all migrations of this version, or print the upgrade plan.')
    .option('--check', 'dry run: print the upgrade plan and any blockers')
    .option('--backup <folder>', 'folder for the backup')
    .action(({ check, backup }: UpgradeOptions) =>
      withDatabase(config, async (db) => {
        await rejectForeignSchema(db).catch((error: Error) => {
          throw new UserError(error.message)
        })
        if (check) return lookAhead(db, backup)
        if (backup === undefined)
          throw new UserError('Specify a backup folder (--backup FOLDER), or --check for a dry run.')
        const { file } = await makeBackup(db, { url: config.ownerUrl, env }, backup)
        return { backup: file, migrated: await migrate(config.ownerUrl) }
      }),
    )
}

/** Exits with 1 if there is a warning. `migrationsFolder` is for tests of unreleased migrations. */
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
    throw new UserError(`The folder ${folder} does not exist.`)
  })
  return bavail * bsize
}

function listWarnings({ migrations, lastBackup, databaseBytes }: UpgradePlan, freeBytes: number | undefined): string[] {
  const hours = lastBackup && Math.floor((Date.now() - lastBackup.getTime()) / HOUR_MS)
  const large = migrations.flatMap(({ name, tables }) =>
    tables
      .filter(({ rows }) => rows >= ROWS_MANY)
      .map(
        (table) =>
          `${name} changes ${table.name}, which has about ${Math.round(table.rows)} rows: it may take a while.`,
      ),
  )
  return [
    ...(hours === undefined ? ['No backup found. Create one with --backup FOLDER.'] : []),
    ...(hours !== undefined && hours >= BACKUP_HOURS_MAX ? [`The last backup is ${hours} hours old.`] : []),
    // A dump is compressed, so it needs less than this.
    ...(freeBytes !== undefined && freeBytes < databaseBytes
      ? ['The folder has less free space than the size of the database.']
      : []),
    ...large,
  ]
}
