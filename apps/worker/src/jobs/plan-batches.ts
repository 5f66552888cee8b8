import { createHash } from 'node:crypto'
import type { PlannedBatch } from '@probity/database/jobs/planning'
import { registrableDomain } from '@probity/engine/address/shared-domains'

/** An address of a list. `rowNo` is the number of its result: row and position of its first occurrence. */
export type ListRow = { rowNo: number; email: string }

/** Rows of one domain, and its site. Undefined if it accepts no mail, or if its DNS lookup failed. */
export type DomainRows = { rows: ListRow[]; site: Site | undefined }

export type Site = { key: string; connectionsMax: number }

/** Addresses that are probed together. More would be lost together if a worker crashes. */
const BATCH_MAX = 100
/** Sites with fewer rows share batches with others, because each batch costs a transaction. */
const OWN_BATCH_MIN = 25
/** Maximum length of the column for the site. */
const LANE_LENGTH_MAX = 200

/**
 * Splits a list into batches. Rows of one site stay together, so that they are probed over the same connections; small sites share
 * batches. The batches of large sites alternate, so that a list makes progress while one of them is at its limits.
 */
export function planBatches(domains: DomainRows[]): PlannedBatch[] {
  const bySite = new Map<string, DomainRows[]>()
  for (const domain of domains) {
    const key = domain.site?.key ?? ''
    const same = bySite.get(key)
    if (same) same.push(domain)
    else bySite.set(key, [domain])
  }
  const large: PlannedBatch[][] = []
  const small: ListRow[] = []
  for (const [key, same] of bySite) {
    const rows = same.flatMap((domain) => domain.rows)
    const [first] = same
    if (key === '' || first?.site === undefined || rows.length < OWN_BATCH_MIN) small.push(...rows)
    else large.push(cut(rows, { site: laneOf(key), siteMax: first.site.connectionsMax }))
  }
  return takeTurns([...large, cut(small, { site: '', siteMax: 0 })])
}

function cut(rows: ListRow[], site: Pick<PlannedBatch, 'site' | 'siteMax'>): PlannedBatch[] {
  const batches: PlannedBatch[] = []
  for (let from = 0; from < rows.length; from += BATCH_MAX) {
    const some = rows.slice(from, from + BATCH_MAX)
    batches.push({ ...site, rowNos: some.map(({ rowNo }) => rowNo), emails: some.map(({ email }) => email) })
  }
  return batches
}

/** The first batch of each lane, then the second of each, and so on. */
function takeTurns(lanes: PlannedBatch[][]): PlannedBatch[] {
  const longest = lanes.reduce((most, site) => Math.max(most, site.length), 0)
  return Array.from({ length: longest }, (_, n) => lanes.flatMap((site) => site[n] ?? [])).flat()
}

function laneOf(key: string): string {
  return key.length <= LANE_LENGTH_MAX ? key : createHash('sha256').update(key).digest('hex')
}

/** A domain with fewer addresses is not counted as large. */
const LARGE_DOMAIN_MIN = 50
/** Share of the list that large domains must have for it to be sampled. */
const LARGE_SHARE_MIN = 0.3
/** Addresses that are validated before the others. */
const SAMPLE_MAX = 200

/** A part of a list that is validated first, because the list may be guessed. */
export type SampledRows = {
  rows: ReadonlySet<ListRow>
  /** The domain with the most addresses of the list, and their number. */
  domain: string
  domainAddresses: number
}

/**
 * Finds the sample of a list that may be guessed: more than 30 percent of its addresses, and more than the sample has, belong to domains
 * with many addresses in the list. Undefined for other lists. Free providers and privacy relays are not counted. The sample is chosen
 * by a hash, so that it does not depend on the order of the file, and planning again gives the same one.
 */
export function findSample(
  jobId: string,
  byDomain: ReadonlyMap<string, ListRow[]>,
  isShared: (domain: string) => boolean,
): SampledRows | undefined {
  const owned = [...byDomain].filter(([domain]) => domain !== '' && !isShared(domain))
  const byOwner = Map.groupBy(owned, ([domain]) => registrableDomain(domain))
  const large = [...byOwner]
    .map(([domain, parts]) => ({ domain, rows: parts.flatMap(([, rows]) => rows) }))
    .filter(({ rows }) => rows.length >= LARGE_DOMAIN_MIN)
    .toSorted((a, b) => b.rows.length - a.rows.length)
  const rows = large.flatMap((one) => one.rows)
  const total = [...byDomain.values()].reduce((sum, some) => sum + some.length, 0)
  const [first] = large
  if (first === undefined || rows.length <= SAMPLE_MAX || rows.length <= total * LARGE_SHARE_MIN) return undefined
  const chosen = rows
    .map((row) => ({ row, order: orderOf(jobId, row) }))
    .toSorted((a, b) => (a.order < b.order ? -1 : 1))
    .slice(0, SAMPLE_MAX)
  return { rows: new Set(chosen.map(({ row }) => row)), domain: first.domain, domainAddresses: first.rows.length }
}

function orderOf(jobId: string, { rowNo }: ListRow): string {
  return createHash('sha256').update(`${jobId} ${rowNo}`).digest('base64url')
}
