import { migrate } from '@probity/database/system/migrate'
import { ForeignMigrations } from '@probity/database/system/schema-version'
import { Command } from 'commander'
import type { AdminConfig } from '../config.ts'
import { explainNoEntry } from '../database.ts'
import { Refusal } from '../refusal.ts'

export function migrateCommand(config: AdminConfig): Command {
  return new Command('migrate').description('Apply all migrations of this version.').action(async () => {
    const done = await migrate(config.ownerUrl).catch((error: unknown) => {
      throw error instanceof ForeignMigrations ? new Refusal(error.message) : explainNoEntry(error)
    })
    process.stdout.write(`${JSON.stringify({ migrated: done })}\n`)
  })
}
