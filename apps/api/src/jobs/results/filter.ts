import { domainToASCII } from 'node:url'
import type { ResultsQuery } from '@probity/contract/schemas/jobs/results'
import type { ResultsFilter } from '@probity/database/jobs/results/results'
import { Problem } from '../../http/problem.ts'
import { storable } from '../../http/storable.ts'

/** Filter of the results of a request. */
export function readFilter(query: ResultsQuery): ResultsFilter {
  const { status, sub_status, provider, domain, search, preset, part = 'keep' } = query
  if (query.part && !preset) throw fault('/part', 'requires a preset')
  return {
    statuses: status?.split(',') ?? [],
    subStatuses: sub_status?.split(','),
    provider: provider && storable(provider),
    // As results have it. What is no domain matches none of them, whatever becomes of it.
    domain: domain && (domainToASCII(domain) || storable(domain)),
    search: search && storable(search),
    plan: preset && { preset, part },
  }
}

const FILTERS = [
  'status',
  'sub_status',
  'provider',
  'domain',
  'search',
  'preset',
  'part',
  'policy',
  'evidence',
] as const

/** The same once more, for the links to other pages. */
export function repeatFilter(query: ResultsQuery): Record<string, string> {
  const given = FILTERS.filter((name) => query[name] !== undefined && query[name] !== false)
  return Object.fromEntries(given.map((name) => [name, String(query[name])]))
}

function fault(pointer: string, detail: string): Problem {
  return new Problem('invalid_request', undefined, { errors: [{ pointer, detail }] })
}
