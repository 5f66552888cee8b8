import { getServers } from 'node:dns'
import { hostname } from 'node:os'
import { beginRound, keepFindings } from '@probity/database/findings'
import { BLOCKLISTS } from '@probity/doctor/data/blocklists'
import { examine } from '@probity/doctor/examine'
import type { Patient } from '@probity/doctor/patient'
import { LANDMARKS } from '@probity/engine/mailbox/data/landmarks'
import type { WorkerConfig } from './config.ts'
import type { Surroundings } from './mailboxes.ts'
import { startRounds } from './release/rounds.ts'
import type { Services } from './services.ts'

/** So often it is asked whether it is time: an operator who wants another look waits no longer than this. */
const EVERY_MS = 10_000
/** A worker that has just started has better things to do. */
const FIRST_AFTER_MS = 20_000

type Looking = { patient: Patient; log: Services['log']; host: string; stopping?: AbortSignal }

/** What this host is examined with: the settings of the worker, and nobody asked more than they bear. */
export function describePatient(
  config: WorkerConfig,
  { policy }: Pick<Surroundings, 'policy'>,
  { db, redis }: Pick<Services, 'db' | 'redis'>,
): Patient {
  return {
    db,
    redis,
    policy,
    dnsServers: config.dnsServers.length > 0 ? config.dnsServers : getServers(),
    egresses: config.egresses,
    uploadsFolder: config.storage.folder,
    publicUrl: config.publicUrl,
    landmarks: LANDMARKS,
    blocklists: BLOCKLISTS,
    now: Date.now,
  }
}

/** Looks once, if it is time and nobody else on this host is at it. What has changed for the worse, or back, is logged. */
export async function lookAround({ patient, log, host, stopping }: Looking): Promise<boolean> {
  if (!(await beginRound(patient.db, host))) return false
  const findings = await examine(patient)
  if (stopping?.aborted) return false // what is seen while everything closes is not how things are
  for (const { check, subject, was, status } of await keepFindings(patient.db, host, findings)) {
    // The first look of all has nothing to compare with; what is well then is no news.
    if (was === null && (status === 'pass' || status === 'unknown')) continue
    log.warn({ check, subject, was, status }, 'the doctor found a change')
  }
  return true
}

/** Once an hour, and when an operator asks for it. */
export function startLookingAround(patient: Patient, log: Services['log'], firstAfterMs = FIRST_AFTER_MS) {
  const stopping = new AbortController()
  const looking = { patient, log, host: hostname(), stopping: stopping.signal }
  const look = async () => {
    await lookAround(looking).catch((error: unknown) => {
      if (!stopping.signal.aborted) throw error
    })
  }
  let rounds: ReturnType<typeof startRounds> | undefined
  const timer = setTimeout(() => {
    rounds = startRounds(EVERY_MS, look, { log, name: 'the doctor' })
  }, firstAfterMs)
  return {
    /** Does not wait for a look that is under way: it may take half a minute, and nobody misses it. */
    stop() {
      stopping.abort()
      clearTimeout(timer)
      void rounds?.stop()
    },
  }
}
