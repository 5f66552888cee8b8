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
import { Command } from 'commander'
import type { AdminConfig } from '../config.ts'
import { writeReport } from '../doctor/write-report.ts'
import { Refusal } from '../refusal.ts'

const CONNECT_WITHIN_MS = 3_000

type Options = { json?: boolean; only?: string }

/** Looks at the installation from this host. With the settings of a worker it says what that worker would meet. */
export function doctorCommand(config: AdminConfig): Command {
  return new Command('doctor')
    .description('Look at everything that the service needs, and say what is wrong and how to put it right.')
    .option('--json', 'print all findings as JSON')
    .option('--only <group or check>', `look at this alone: ${DOCTOR_GROUPS.join(', ')}, or a check by its id`)
    .action(async ({ json = false, only }: Options) => {
      const wanted = only === undefined ? undefined : findChecks(only)
      if (only !== undefined && wanted === undefined) throw new Refusal(describeUnknown(only))
      const findings = await withPatient(config, (patient) => examine(patient, wanted))
      const described = worstFirst(findings.map(describeFinding))
      process.stdout.write(
        json ? `${JSON.stringify({ findings: described }, null, 2)}\n` : writeReport(described, docsOf(config)),
      )
      if (described.some(isFailed)) process.exitCode = 1
    })
}

function describeUnknown(only: string): string {
  return `There is no group and no check "${only}". The groups: ${DOCTOR_GROUPS.join(', ')}; "pnpm admin doctor --json" names every check.`
}

function isFailed({ status }: DoctorFinding): boolean {
  return status === 'fail'
}

function docsOf({ publicUrl, port }: AdminConfig): string {
  return publicUrl ?? `http://127.0.0.1:${port}`
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
