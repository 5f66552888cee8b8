import type { OverrideAction } from '@probity/contract/constants/policies'
import type { ChunkIndex } from './result-chunk.ts'

export type KindCount = {
  status: string
  subStatus: string
  safeToSend: boolean
  override: OverrideAction | null
  count: number
}
export type StatusSums = { count: number; valid: number; invalid: number; risky: number; unknown: number }

/** The breakdown of a job: its results counted by kind, by provider and by domain. */
export type Tallies = {
  kinds: KindCount[]
  providers: (StatusSums & { provider: string })[]
  domains: (StatusSums & { domain: string; provider: string })[]
}

const DOMAINS_MAX = 20

export type TallyCounter = { add(index: ChunkIndex): void; tallies(): Tallies }

/** Counts results chunk by chunk. A result without a domain is not counted by domain; erased results have none. */
export function openTallyCounter(): TallyCounter {
  const kinds = new Map<string, KindCount>()
  const providers = new Map<string, StatusSums>()
  const domains = new Map<string, StatusSums & { provider: string }>()

  function addRow(index: ChunkIndex, n: number): void {
    const kind = index.kind(n)
    const [provider, domain] = [index.provider(n), index.domain(n)]
    const { status, subStatus, safeToSend, override } = kind
    getOrAdd(kinds, `${status} ${subStatus} ${safeToSend} ${override}`, () => ({ ...kind, count: 0 })).count++
    countStatus(getOrAdd(providers, provider, noSums), status)
    if (domain === '') return
    const sums = getOrAdd(domains, domain, () => ({ ...noSums(), provider }))
    countStatus(sums, status)
    if (provider > sums.provider) sums.provider = provider
  }

  return {
    add(index) {
      for (let n = 0; n < index.size; n++) addRow(index, n)
    },
    tallies: () => ({
      kinds: [...kinds.values()],
      providers: byCount(
        [...providers].map(([provider, sums]) => ({ provider, ...sums })),
        'provider',
      ),
      domains: byCount(
        [...domains].map(([domain, sums]) => ({ domain, ...sums })),
        'domain',
      ).slice(0, DOMAINS_MAX),
    }),
  }
}

function noSums(): StatusSums {
  return { count: 0, valid: 0, invalid: 0, risky: 0, unknown: 0 }
}

function countStatus(sums: StatusSums, status: string): void {
  sums.count++
  if (status === 'valid' || status === 'invalid' || status === 'risky' || status === 'unknown') sums[status]++
}

function getOrAdd<T>(map: Map<string, T>, key: string, make: () => T): T {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

/** The most frequent first, and names in the order of their characters, which no locale changes. */
function byCount<K extends string, T extends { count: number } & Record<K, string>>(rows: T[], name: K): T[] {
  return rows.sort((a, b) => b.count - a.count || (a[name] < b[name] ? -1 : 1))
}
