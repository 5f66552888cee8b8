import { hostname } from 'node:os'
import { asOperator } from '@probity/database/connect'
import { listProcesses, SILENT_AFTER_S } from '@probity/database/processes'
import { Command } from 'commander'
import type { AdminConfig } from '../config.ts'
import { withDatabase } from '../database.ts'
import { Refusal } from '../refusal.ts'

/** For supervisors of workers, which listen to nobody and so cannot be asked. */
export function aliveCommand(config: AdminConfig): Command {
  return new Command('alive')
    .description(
      `Exit with 0 if a worker of this host gave a sign of life within the last ${SILENT_AFTER_S} seconds, else with 1.`,
    )
    .action(() =>
      withDatabase(config, async (db) => {
        const processes = await asOperator(db, listProcesses)
        const heardAt = processes
          .filter(({ kind, facts }) => kind === 'worker' && facts['host'] === hostname())
          .map(({ seenAt }) => seenAt.getTime())
        if (!heardAt.some((at) => at > Date.now() - SILENT_AFTER_S * 1_000))
          throw new Refusal(`No worker of ${hostname()} gave a sign of life within the last ${SILENT_AFTER_S} seconds.`)
        return { host: hostname(), last_heard: new Date(Math.max(...heardAt)).toISOString() }
      }),
    )
}
