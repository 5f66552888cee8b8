import { hostname } from 'node:os'
import { findWorkerHeartbeat, HEARTBEAT_TIMEOUT_S } from '@probity/database/system/processes'
import { Command } from 'commander'
import type { AdminConfig } from '../config.ts'
import { withDatabase } from '../database.ts'
import { Refusal } from '../refusal.ts'

/** For supervisors of workers, which have no port to check. Needs no more than the worker's own login. */
export function aliveCommand(config: AdminConfig): Command {
  return new Command('alive')
    .description(
      `Exit with 0 if a worker on this host sent a heartbeat within the last ${HEARTBEAT_TIMEOUT_S} seconds, else with 1.`,
    )
    .action(() => withDatabase(config, checkHeartbeat, 'probity_worker'))
}

async function checkHeartbeat(db: Parameters<typeof findWorkerHeartbeat>[0]) {
  const seenAt = await findWorkerHeartbeat(db, hostname())
  if (seenAt === undefined || seenAt.getTime() <= Date.now() - HEARTBEAT_TIMEOUT_S * 1_000)
    throw new Refusal(`No worker on ${hostname()} sent a heartbeat within the last ${HEARTBEAT_TIMEOUT_S} seconds.`)
  return { host: hostname(), last_heard: seenAt.toISOString() }
}
