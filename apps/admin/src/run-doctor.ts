import { getServers } from 'node:dns'
import { once } from 'node:events'
import { DOCTOR_GROUPS } from '@probity/contract/constants/data/doctor-checks'
import { describeFinding, sortBySeverity } from '@probity/contract/constants/operators'
import type { DoctorFinding } from '@probity/contract/schemas/operators'
import { connect } from '@probity/database/connection/connect'
import { findDataFolder } from '@probity/database/system/server-settings'
import type { CheckContext } from '@probity/doctor/check'
import { BLOCKLISTS } from '@probity/doctor/data/blocklists'
import { examine, findChecks } from '@probity/doctor/examine'
import { PUBLIC_NAMES } from '@probity/engine/domain/data/known-domains'
import { REFERENCE_HOSTS } from '@probity/engine/smtp/probe/data/reference-hosts'
import { publicInternet } from '@probity/engine/smtp/protocol/address-policy'
import { connectRedis } from '@probity/redis/connection'
import type { AdminConfig } from './config.ts'
import { UserError } from './database.ts'

const REDIS_TIMEOUT_MS = 3_000

/** All findings, most severe first. `only` is the name of a group or the id of a check. */
export async function runDoctor(config: AdminConfig, only: string | undefined): Promise<DoctorFinding[]> {
  const wanted = only === undefined ? undefined : findChecks(only)
  if (only !== undefined && wanted === undefined) throw new UserError(describeUnknown(only))
  const findings = await withContext(config, (context) => examine(context, wanted))
  return sortBySeverity(findings.map(describeFinding))
}

function describeUnknown(only: string): string {
  return `Unknown group or check "${only}". Groups: ${DOCTOR_GROUPS.join(', ')}. "probity-admin doctor --json" lists every check.`
}

async function withContext<T>(config: AdminConfig, work: (context: CheckContext) => Promise<T>): Promise<T> {
  const { dnsServers, egresses, deniedAddresses, uploadsFolder } = config.readWorker()
  const db = connect(config.ownerUrl, { connectionsMax: 4, applicationName: 'probity-admin' })
  const redis = connectRedis(config.redisUrl)
  try {
    // Waits for the connection; a failure to connect is reported by the Redis checks.
    await once(redis, 'ready', { signal: AbortSignal.timeout(REDIS_TIMEOUT_MS) }).catch(() => undefined)
    return await work({
      db,
      redis,
      policy: publicInternet(deniedAddresses),
      dnsServers: dnsServers.length > 0 ? dnsServers : getServers(),
      resolverNames: PUBLIC_NAMES,
      egresses,
      uploadsFolder,
      // If the database is down, the PostgreSQL checks report it.
      databaseFolder: await findDataFolder(db).catch(() => undefined),
      publicUrl: config.publicUrl,
      referenceHosts: REFERENCE_HOSTS,
      blocklists: BLOCKLISTS,
      now: Date.now,
    })
  } finally {
    redis.disconnect()
    await db.destroy()
  }
}
