import { hostname } from 'node:os'
import type { Db } from '@probity/database/connection/connect'
import { findHeartbeat, HEARTBEAT_TIMEOUT_S } from '@probity/database/system/processes'
import { Command } from 'commander'
import type { AdminConfig } from '../config.ts'
import { withDatabase } from '../database.ts'
import { Refusal } from '../refusal.ts'

type Kind = 'worker' | 'maintenance'

/** For supervisors of processes that have no port to check. Needs no more than the login of the process. */
export function aliveCommand(config: AdminConfig): Command {
  return new Command('alive')
    .description(
      `Exit with 0 if a worker on this host sent a heartbeat within the last ${HEARTBEAT_TIMEOUT_S} seconds, else with 1.`,
    )
    .option('--maintenance', 'check the maintenance process instead of the worker')
    .action(({ maintenance = false }: { maintenance?: boolean }) =>
      maintenance
        ? withDatabase(config, (db) => checkHeartbeat(db, 'maintenance'), 'probity_maintenance')
        : withDatabase(config, (db) => checkHeartbeat(db, 'worker'), 'probity_worker'),
    )
}

async function checkHeartbeat(db: Db, kind: Kind) {
  const seenAt = await findHeartbeat(db, kind, hostname())
  if (seenAt === undefined || seenAt.getTime() <= Date.now() - HEARTBEAT_TIMEOUT_S * 1_000) {
    const name = kind === 'worker' ? 'worker' : 'maintenance process'
    throw new Refusal(`No ${name} on ${hostname()} sent a heartbeat within the last ${HEARTBEAT_TIMEOUT_S} seconds.`)
  }
  return { host: hostname(), last_heard: seenAt.toISOString() }
}
