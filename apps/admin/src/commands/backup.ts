import { Command } from 'commander'
import { makeBackup, removeOldBackups } from '../backup/make.ts'
import type { Environment } from '../backup/postgres-program.ts'
import { restoreBackup } from '../backup/restore.ts'
import type { AdminConfig } from '../config.ts'
import { explain, withDatabase } from '../database.ts'
import { Refusal } from '../refusal.ts'

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
  if (!Number.isInteger(keep) || keep < 1) throw new Refusal('--keep must be a whole number of 1 or more.')
  return keep
}
