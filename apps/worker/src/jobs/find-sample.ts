import { createHash } from 'node:crypto'
import { registrableDomain } from '@probity/engine/address/shared-domains'
import type { ListRow } from './plan-batches.ts'

/** A domain with fewer addresses in a list says nothing about the list. */
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
 * Finds the sample of a list that may be guessed: more than 30 percent of its addresses, and more than the sample has, belong to
 * domains of which the list has many addresses. Undefined for other lists. Free providers and privacy relays are not counted.
 * The sample is chosen by a hash, so that the order of the file does not decide, and planning again gives the same one.
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
