import { startInterval } from '@probity/concurrency/scheduling'
import { resultNoOf } from '@probity/contract/constants/jobs'
import { claimPlan, failPlan, type JobToPlan, type PlanLimits, savePlan } from '@probity/database/jobs/planning'
import { countByOwner, domainOf } from '@probity/engine/address/shared-domains'
import { siteKey } from '@probity/engine/smtp/connections/connection'
import { readAddresses, readLayout } from '@probity/uploads/read-addresses'
import { POLL_EVERY_MS } from '../server/dispatch.ts'
import type { Services } from '../server/services.ts'
import { type DomainRows, findSample, type ListRow, planBatches, type SampledRows } from './plan-batches.ts'

type Needed = Pick<Services, 'db' | 'storage' | 'network' | 'probers' | 'abuseLimits' | 'log'>

/** About 15 minutes of attempts, because the storage may be unavailable for a while. Then the job fails. */
const ATTEMPTS_MAX = 20
/** Concurrent domain lookups. The resolver is shared with other work. */
const LOOK_UPS_MAX = 100
/** Domains without a DNS response by then are looked up when their addresses are validated. */
const LOOK_UP_WITHIN_MS = 30_000

/** Plans a job: reads its addresses, looks up their domains and splits them into batches. May run twice; one plan is stored. */
export async function planJob(services: Needed, job: JobToPlan): Promise<void> {
  if (job.attempts > ATTEMPTS_MAX || job.storageKey === null) {
    services.log.error({ jobId: job.id, attempts: job.attempts }, 'failed to plan job')
    await failPlan(services.db, job)
    return
  }
  const rows = await readRows(services, job, job.storageKey)
  if (rows.length !== job.uniqueCount)
    throw new Error(`a job of ${job.uniqueCount} unique addresses has ${rows.length} rows`)
  if (job.mode === 'test') {
    await savePlan(services.db, job, planBatches([{ rows, site: undefined }]))
    return
  }
  const byDomain = Map.groupBy(rows, ({ email }) => domainOf(email))
  const domains = await lookUp(services, byDomain)
  const { abuseLimits } = services
  if (abuseLimits === undefined) {
    await savePlan(services.db, job, planBatches(domains))
    return
  }
  const isShared = (domain: string) => isSharedHere(services, domain)
  const sampled = findSample(job.id, byDomain, isShared)
  const { batches, sample } = layOutSampled(domains, sampled)
  const counts = countByOwner(
    [...byDomain].map(([domain, some]) => [domain, some.length] as const),
    isShared,
  )
  await savePlan(services.db, job, batches, { counts, base: abuseLimits.domainAddresses, sample })
}

/** Checks the built-in list and the one of the operator. */
function isSharedHere({ network }: Needed, domain: string): boolean {
  const { isFree, isPrivacyRelay } = network.lists.classify(domain)
  return isFree || isPrivacyRelay
}

/** Puts the batches of the sample first. */
function layOutSampled(domains: DomainRows[], sampled: SampledRows | undefined) {
  if (sampled === undefined) return { batches: planBatches(domains), sample: undefined }
  const part = (isMeant: (row: ListRow) => boolean) =>
    planBatches(
      domains.map(({ rows, site }) => ({ rows: rows.filter(isMeant), site })).filter(({ rows }) => rows.length > 0),
    )
  const first = part((row) => sampled.rows.has(row))
  const others = part((row) => !sampled.rows.has(row))
  const { domain, domainAddresses, rows } = sampled
  const sample: PlanLimits['sample'] = { batches: first.length, addresses: rows.size, domain, domainAddresses }
  return { batches: [...first, ...others], sample }
}

async function readRows({ storage }: Needed, job: JobToPlan, storageKey: string): Promise<ListRow[]> {
  const byKey = new Map<string, ListRow>()
  const { encoding, delimiter, headerRow, columnIndex: column, severalAddresses: several, malformed } = job
  const layout = readLayout({ encoding, delimiter, headerRow, column, several, malformed })
  await readAddresses(
    () => storage.open(storageKey),
    layout,
    ({ email, row, position, key }) => {
      if (!byKey.has(key)) byKey.set(key, { rowNo: resultNoOf(row, position), email })
    },
  )
  return [...byKey.values()]
}

async function lookUp(services: Needed, byDomain: Map<string, ListRow[]>): Promise<DomainRows[]> {
  const deadline = performance.now() + LOOK_UP_WITHIN_MS
  const waiting = [...byDomain].values()
  const found: DomainRows[] = []
  // Each of these takes the next domain after finishing one.
  const lookers = Array.from({ length: LOOK_UPS_MAX }, async () => {
    for (const [domain, rows] of waiting) {
      const site = domain === '' || performance.now() > deadline ? undefined : await findSite(services, domain)
      found.push({ rows, site })
    }
  })
  await Promise.all(lookers)
  return found
}

async function findSite({ network, probers }: Needed, domain: string): Promise<DomainRows['site']> {
  const { facts } = await network.domains.lookUp(domain)
  if (facts.mail.kind !== 'hosts') return undefined
  return {
    key: siteKey(facts.provider, facts.mail.hosts),
    connectionsMax: probers.connectionsMax(facts.provider),
  }
}

/** Plans confirmed jobs one after the other. A job is planned by one worker; if that worker stops, another one plans it. */
export function startPlanning(services: Services, whenPlanned: () => void) {
  let stopping = false
  const interval = startInterval(
    POLL_EVERY_MS,
    async () => {
      for (let job = await claimPlan(services.db, services.workerId); job; ) {
        await planJob(services, job)
        whenPlanned()
        job = stopping ? undefined : await claimPlan(services.db, services.workerId)
      }
    },
    {
      onError: (error) => services.log.warn({ err: error }, 'planning jobs failed; retrying'),
      isDue: async () => (await services.pendingWork()).plans,
    },
  )
  return {
    async stop() {
      stopping = true
      await interval.stop()
    },
  }
}
