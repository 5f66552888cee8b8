import { Command } from 'commander'
import { makeBackup, removeOldBackups } from '../backup/make.ts'
import type { Environment } from '../backup/postgres-program.ts'
import { restoreBackup } from '../backup/restore.ts'
import type { AdminConfig } from '../config.ts'
import { explain, withDatabase } from '../database.ts'
import { Refusal } from '../refusal.ts'

export function backupCommand(config: AdminConfig, env: Environment): Command {
  return new Command('backup')
    .description('Write the whole database to a file in this folder, and what it holds beside it.')
    .argument('<folder>')
    .option('--keep <number>', 'remove all but so many of the newest backups there')
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
    .description('Bring a backup back, into an empty database.')
    .argument('<file>', 'the .dump file; its .json must lie beside it')
    .option('--replace <database>', 'the name of the database whose contents are to be lost')
    .action(async (file: string, { replace }: { replace?: string }) => {
      const result = await restoreBackup({ url: config.ownerUrl, env }, file, replace).catch((error: unknown) => {
        throw explain(error)
      })
      process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
    })
}

function readKeep(text: string): number {
  const keep = Number(text)
  if (!Number.isInteger(keep) || keep < 1) throw new Refusal('--keep takes a whole number from 1 on.')
  return keep
}
