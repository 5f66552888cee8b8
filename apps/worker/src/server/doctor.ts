import { getServers } from 'node:dns'
import { hostname } from 'node:os'
import { startInterval } from '@probity/concurrency/scheduling'
import { beginRound, keepFindings } from '@probity/database/operators/doctor'
import type { CheckContext } from '@probity/doctor/check'
import { BLOCKLISTS } from '@probity/doctor/data/blocklists'
import { examine } from '@probity/doctor/examine'
import { PUBLIC_NAMES } from '@probity/engine/domain/data/known-domains'
import { REFERENCE_HOSTS } from '@probity/engine/smtp/probe/data/reference-hosts'
import type { ProbingEnvironment } from '../probing/probers.ts'
import type { WorkerConfig } from './config.ts'
import type { Services } from './services.ts'

/** How often the worker checks whether a run is due; also the longest wait after an operator requests a run. */
const EVERY_MS = 10_000
/** Gives a worker that just started time to begin with queued work. */
const FIRST_AFTER_MS = 20_000

type Looking = { context: CheckContext; log: Services['log']; host: string; stopping?: AbortSignal }

/** The doctor's input on this host: the settings of the worker. */
export function describeDoctorInput(
  config: WorkerConfig,
  { policy, resolverNames = PUBLIC_NAMES }: Pick<ProbingEnvironment, 'policy' | 'resolverNames'>,
  { db, redis }: Pick<Services, 'db' | 'redis'>,
): CheckContext {
  return {
    db,
    redis,
    policy,
    dnsServers: config.dnsServers.length > 0 ? config.dnsServers : getServers(),
    resolverNames,
    egresses: config.egresses,
    uploadsFolder: config.storage.folder,
    publicUrl: config.publicUrl,
    referenceHosts: REFERENCE_HOSTS,
    blocklists: BLOCKLISTS,
    now: Date.now,
  }
}

/** Runs all checks if a run is due and no other worker on this host runs them. Changed statuses are logged. */
export async function runDoctor({ context, log, host, stopping }: Looking): Promise<boolean> {
  if (!(await beginRound(context.db, host))) return false
  const findings = await examine(context)
  if (stopping?.aborted) return false // findings made during shutdown are not reliable
  for (const { check, subject, was, status } of await keepFindings(context.db, host, findings)) {
    // In the first run there is nothing to compare with, so only problems are logged.
    if (was === null && (status === 'pass' || status === 'unknown')) continue
    log.warn({ check, subject, was, status }, 'doctor status changed')
  }
  return true
}

/** Runs the checks hourly and when an operator requests it. */
export function startDoctor(context: CheckContext, log: Services['log'], firstAfterMs = FIRST_AFTER_MS) {
  const stopping = new AbortController()
  const looking = { context, log, host: hostname(), stopping: stopping.signal }
  const look = async () => {
    await runDoctor(looking).catch((error: unknown) => {
      if (!stopping.signal.aborted) throw error
    })
  }
  let interval: ReturnType<typeof startInterval> | undefined
  const timer = setTimeout(() => {
    interval = startInterval(EVERY_MS, look, {
      onError: (error) => log.warn({ err: error }, 'doctor failed; retrying'),
    })
  }, firstAfterMs)
  return {
    /** Does not wait for a run in progress: it can take half a minute, and its findings are not needed. */
    stop() {
      stopping.abort()
      clearTimeout(timer)
      void interval?.stop()
    },
  }
}
