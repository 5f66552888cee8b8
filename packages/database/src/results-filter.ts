import { isKept, type PresetName } from '@probity/contract/preset'
import type { ChunkIndex, ResultKind } from './result-chunk.ts'

/** Selects results. A field that is not set excludes nothing. */
export type ResultsFilter = {
  statuses: readonly string[]
  subStatuses?: readonly string[] | undefined
  /** The empty text stands for those whose provider is not known. */
  provider?: string | undefined
  domain?: string | undefined
  /** A part of the address, in any case. */
  search?: string | undefined
  /** The results that a preset keeps, or those that it removes. */
  plan?: { preset: PresetName; part: 'keep' | 'remove' } | undefined
}

/** Whether the filter can exclude results. */
export function isNarrow(filter: ResultsFilter): boolean {
  return filtersKinds(filter) || filtersRows(filter)
}

/** Whether the filter needs more than the kinds of results, which are counted in the tally of each chunk. */
export function filtersRows({ provider, domain, search }: ResultsFilter): boolean {
  return provider !== undefined || domain !== undefined || search !== undefined
}

function filtersKinds({ statuses, subStatuses = [], plan }: ResultsFilter): boolean {
  return statuses.length > 0 || subStatuses.length > 0 || plan !== undefined
}

export function matchesKind({ statuses, subStatuses = [], plan }: ResultsFilter, kind: ResultKind): boolean {
  if (statuses.length > 0 && !statuses.includes(kind.status)) return false
  if (subStatuses.length > 0 && !subStatuses.includes(kind.subStatus)) return false
  return plan === undefined || isKept(plan.preset, { ...kind, override: kind.override }) === (plan.part === 'keep')
}

/** The positions of the rows of a chunk that the filter selects. */
export function matchRows(filter: ResultsFilter, index: ChunkIndex): number[] {
  const { provider, domain } = filter
  const search = filter.search?.toLowerCase()
  if (domain !== undefined && !index.hasDomain(domain)) return []
  if (search !== undefined && !index.mayContain(search)) return []
  const kinds = filtersKinds(filter) ? index.kinds().map((kind) => matchesKind(filter, kind)) : undefined
  const positions: number[] = []
  for (let n = 0; n < index.size; n++) {
    if (kinds && !kinds[index.kindNo(n)]) continue
    if (provider !== undefined && index.provider(n) !== provider) continue
    if (domain !== undefined && index.domain(n) !== domain) continue
    if (search !== undefined && !index.email(n).toLowerCase().includes(search)) continue
    positions.push(n)
  }
  return positions
}
