import { Resolver } from 'node:dns/promises'
import { DOCTOR_CHECKS, type DoctorCheckId } from '@probity/contract/constants/data/doctor-checks'
import type { Finding } from '@probity/contract/constants/operators'
import { findNewestBackup } from '@probity/database/system/backups'
import { openResolver } from '@probity/engine/domain/resolver'
import { type CheckContext, fail, guard, pass, warn } from './check.ts'
import { checkConnectivity, examineIpv6, findAddress, judgeEgresses, judgePort25 } from './egress.ts'
import { examineIdentity, type IdentityDns } from './identity.ts'
import { examineAccess, examineHost, examinePostgres, examineRedis } from './platform.ts'
import { examinePublicEndpoint } from './public-endpoint.ts'
import { examineReputation } from './reputation.ts'
import { examineResolvers } from './resolver.ts'

const DNS_TIMEOUT_MS = 3_000

/** Runs all checks, or those requested. A check that cannot run is reported as `unknown` and does not stop the others. */
export async function examine(context: CheckContext, wanted: DoctorCheckId[] = ALL): Promise<Finding[]> {
  const parts: [checks: DoctorCheckId[], look: () => Promise<Finding[]>][] = [
    [checksOf('egress', 'identity', 'reputation'), () => examineEgresses(context, wanted)],
    [checksOf('dns'), () => examineResolvers(context)],
    [['clock', 'disk', 'open-files'], () => examineHost(context)],
    [['postgres-version', 'postgres-durability', 'postgres-log', 'migrations'], () => examinePostgres(context)],
    [['redis-version', 'redis-eviction', 'redis-saving'], () => examineRedis(context)],
    [['worker-login', 'redis-password'], () => examineAccess(context)],
    [checksOf('front'), () => examinePublicEndpoint(context)],
    [checksOf('backups'), () => examineBackups(context)],
  ]
  const needed = parts.filter(([checks]) => checks.some((check) => wanted.includes(check)))
  const found = await Promise.all(needed.map(([checks, look]) => guard(checks, look)))
  return found.flat().filter(({ check }) => wanted.includes(check))
}

const ALL = Object.keys(DOCTOR_CHECKS) as DoctorCheckId[]

/** The checks that a group name or check id selects; undefined if the name is unknown. */
export function findChecks(name: string): DoctorCheckId[] | undefined {
  const found = ALL.filter((check) => check === name || DOCTOR_CHECKS[check].group === name)
  return found.length > 0 ? found : undefined
}

function checksOf(...groups: string[]): DoctorCheckId[] {
  return ALL.filter((check) => groups.includes(DOCTOR_CHECKS[check].group))
}

/** One part: identity and reputation need the egress IP that the mail servers reported. */
async function examineEgresses(context: CheckContext, wanted: DoctorCheckId[]): Promise<Finding[]> {
  const { egresses, policy, referenceHosts, blocklists } = context
  const dns = openIdentityDns(context.dnsServers)
  const connecting = { referenceHosts, policy, dns }
  const ways = await Promise.all(
    egresses.map(async (egress) =>
      findAddress(egress, await checkConnectivity(egress, connecting), dns, policy.allows),
    ),
  )
  const found = await Promise.all([
    ways.map(({ egress, reached }) => judgePort25(egress, reached)),
    wanted.includes('ipv6') ? Promise.all(egresses.map((egress) => examineIpv6(egress, connecting))) : [],
    examineIdentity(ways, dns),
    examineReputation(ways, dns, blocklists),
  ])
  return [judgeEgresses(egresses), ...found.flat()]
}

function openIdentityDns(servers: string[]): IdentityDns {
  const dns = openResolver({ servers, timeoutMs: DNS_TIMEOUT_MS })
  const reverse = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: 2 })
  reverse.setServers(servers)
  return { ...dns, resolvePtr: (name) => reverse.resolvePtr(name) }
}

const HOUR_MS = 3_600_000
/** A daily backup that is two hours late; a backup that has been missing for a week. */
const LATE_MS = 26 * HOUR_MS
const OLD_MS = 7 * 24 * HOUR_MS

const COMMAND = 'probity-admin backup /var/backups/probity --keep 14'

/** Checks the age of the newest `probity-admin backup`. Backups made with other tools are not detected. */
export function examineBackups({ db, now }: Pick<CheckContext, 'db' | 'now'>): Promise<Finding[]> {
  return guard(['backup-age'], async () => {
    const newest = await findNewestBackup(db)
    const says = 'Create a backup, schedule the command to run every night, and copy the folder to another machine.'
    const lines = [COMMAND, `0 2 * * * ${COMMAND}`]
    if (newest === undefined) {
      const saw = 'No backup was created with "probity-admin backup". Backups made with other tools are not detected.'
      return [warn('backup-age', { saw, says, lines })]
    }
    const ageMs = now() - newest.getTime()
    const saw = `The newest backup was created ${describeAge(ageMs)} ago, at ${newest.toISOString()}.`
    if (ageMs > OLD_MS) return [fail('backup-age', { saw, says, lines })]
    return [ageMs > LATE_MS ? warn('backup-age', { saw, says, lines }) : pass('backup-age', { saw })]
  })
}

function describeAge(ageMs: number): string {
  const hours = Math.max(0, Math.floor(ageMs / HOUR_MS))
  return hours < 48 ? `${hours} ${hours === 1 ? 'hour' : 'hours'}` : `${Math.floor(hours / 24)} days`
}
