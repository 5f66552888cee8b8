import { createHash } from 'node:crypto'
import type { PlannedBatch } from '@probity/database/jobs/planning'

/** An address of a list, at the row where it occurs first. */
export type ListRow = { rowNo: number; email: string }

/** Rows of one domain, and who takes its mail. Without a site nobody does, or nobody could say. */
export type DomainRows = { rows: ListRow[]; site: Site | undefined }

export type Site = { key: string; connectionsMax: number }

/** As many as are asked together; more would be lost together, too. */
const BATCH_MAX = 100
/** Who has fewer rows than this in a list shares its batches with others: each batch costs a transaction. */
const OWN_BATCH_MIN = 25
/** A site is a column of its own, so it is short. */
const LANE_LENGTH_MAX = 200

/**
 * Cuts a list into batches. Rows of one site stay together, so that they are asked over the same connections; small sites share.
 * The batches of large sites take turns, so that a list does not stand still while one of them has as much as it bears.
 */
export function layOut(domains: DomainRows[]): PlannedBatch[] {
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

/** The first of each, then the second of each, and so on. */
function takeTurns(lanes: PlannedBatch[][]): PlannedBatch[] {
  const longest = lanes.reduce((most, site) => Math.max(most, site.length), 0)
  return Array.from({ length: longest }, (_, n) => lanes.flatMap((site) => site[n] ?? [])).flat()
}

function laneOf(key: string): string {
  return key.length <= LANE_LENGTH_MAX ? key : createHash('sha256').update(key).digest('hex')
}
