import { failJob, type JobToPlan, savePlan } from '@probity/database/planning'
import { parseAddress } from '@probity/engine/address/parse'
import { siteKey } from '@probity/engine/mailbox/line'
import { readAddresses, readLayout } from '@probity/uploads/read-addresses'
import type { Services } from '../services.ts'
import { type DomainRows, type ListRow, layOut } from './lay-out.ts'

type Needed = Pick<Services, 'db' | 'storage' | 'network' | 'mailboxes' | 'log'>

/** Tried for about a quarter of an hour: a storage may be away for a while. Then the list is given up. */
const ATTEMPTS_MAX = 20
/** Domains that are looked up at once. They share the resolver with everybody else. */
const LOOK_UPS_MAX = 100
/** What DNS has not said by then is found out when its addresses are validated. */
const LOOK_UP_WITHIN_MS = 30_000

/** Plans a job: reads its addresses, looks their domains up and lays them out in batches. May run twice; one plan is kept. */
export async function planJob(services: Needed, job: JobToPlan): Promise<void> {
  if (job.attempts > ATTEMPTS_MAX || job.storageKey === null) {
    services.log.error({ jobId: job.id, attempts: job.attempts }, 'a list could not be planned')
    await failJob(services.db, job)
    return
  }
  const rows = await readRows(services, job, job.storageKey)
  if (rows.length !== job.uniqueCount) throw new Error(`a list of ${job.uniqueCount} addresses has ${rows.length}`)
  const domains = job.mode === 'test' ? [{ rows, site: undefined }] : await lookUp(services, groupByDomain(rows))
  await savePlan(services.db, job, layOut(domains))
}

async function readRows({ storage }: Needed, job: JobToPlan, storageKey: string): Promise<ListRow[]> {
  const byKey = new Map<string, ListRow>()
  const layout = readLayout({ ...job, column: job.columnIndex })
  await readAddresses(
    () => storage.open(storageKey),
    layout,
    ({ email, row, key }) => {
      if (!byKey.has(key)) byKey.set(key, { rowNo: row, email })
    },
  )
  return [...byKey.values()]
}

/** What has no domain to look up stands under the empty name. */
function groupByDomain(rows: ListRow[]): Map<string, ListRow[]> {
  return Map.groupBy(rows, ({ email }) => {
    const address = parseAddress(email)
    return address.kind === 'address' && address.domain.kind === 'name' ? address.domain.ascii : ''
  })
}

async function lookUp(services: Needed, byDomain: Map<string, ListRow[]>): Promise<DomainRows[]> {
  const deadline = performance.now() + LOOK_UP_WITHIN_MS
  const waiting = [...byDomain].values()
  const found: DomainRows[] = []
  // Each of these takes the next domain when it is done with one.
  const lookers = Array.from({ length: LOOK_UPS_MAX }, async () => {
    for (const [domain, rows] of waiting) {
      const site = domain === '' || performance.now() > deadline ? undefined : await findSite(services, domain)
      found.push({ rows, site })
    }
  })
  await Promise.all(lookers)
  return found
}

async function findSite({ network, mailboxes }: Needed, domain: string): Promise<DomainRows['site']> {
  const { facts } = await network.domains.lookUp(domain)
  if (facts.mail.kind !== 'hosts') return undefined
  return {
    key: siteKey(facts.provider, facts.mail.hosts),
    connectionsMax: mailboxes.connectionsMax(facts.provider),
  }
}
