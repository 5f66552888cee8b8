import { getServers } from 'node:dns'
import { once } from 'node:events'
import { DOCTOR_GROUPS } from '@probity/contract/data/doctor-checks'
import { type DoctorFinding, describeFinding, worstFirst } from '@probity/contract/doctor'
import { connect } from '@probity/database/connect'
import { findDataFolder } from '@probity/database/server-settings'
import { BLOCKLISTS } from '@probity/doctor/data/blocklists'
import { examine, findChecks } from '@probity/doctor/examine'
import type { Patient } from '@probity/doctor/patient'
import { publicInternet } from '@probity/engine/mailbox/address-policy'
import { LANDMARKS } from '@probity/engine/mailbox/data/landmarks'
import { connectRedis } from '@probity/queue/redis'
import type { AdminConfig } from '../config.ts'
import { Refusal } from '../refusal.ts'

const CONNECT_WITHIN_MS = 3_000

/** What the doctor finds, the worst first. `only` is the name of a group or of a check. */
export async function lookAround(config: AdminConfig, only: string | undefined): Promise<DoctorFinding[]> {
  const wanted = only === undefined ? undefined : findChecks(only)
  if (only !== undefined && wanted === undefined) throw new Refusal(describeUnknown(only))
  const findings = await withPatient(config, (patient) => examine(patient, wanted))
  return worstFirst(findings.map(describeFinding))
}

function describeUnknown(only: string): string {
  return `There is no group and no check "${only}". The groups: ${DOCTOR_GROUPS.join(', ')}; "pnpm admin doctor --json" names every check.`
}

async function withPatient<T>(config: AdminConfig, work: (patient: Patient) => Promise<T>): Promise<T> {
  const { dnsServers, egresses, deniedAddresses, uploadsFolder } = config.readWorker()
  const db = connect(config.ownerUrl, { connectionsMax: 4, applicationName: 'probity-admin' })
  const redis = connectRedis(config.redisUrl)
  try {
    // It is given the time to connect; that it cannot is what the doctor will say.
    await once(redis, 'ready', { signal: AbortSignal.timeout(CONNECT_WITHIN_MS) }).catch(() => undefined)
    return await work({
      db,
      redis,
      policy: publicInternet(deniedAddresses),
      dnsServers: dnsServers.length > 0 ? dnsServers : getServers(),
      egresses,
      uploadsFolder,
      // Without a database there is more to say than where its disk is.
      databaseFolder: await findDataFolder(db).catch(() => undefined),
      publicUrl: config.publicUrl,
      landmarks: LANDMARKS,
      blocklists: BLOCKLISTS,
      now: Date.now,
    })
  } finally {
    redis.disconnect()
    await db.destroy()
  }
}
