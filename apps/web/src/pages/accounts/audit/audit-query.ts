import type { AuditLog } from '@probity/contract/schemas/operators'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { APP_HEADERS, ask, readFailure } from '../../../session/ask.ts'
import type { OperatorAuditSearch } from './audit-search.ts'

export const ENTRIES_PER_PAGE = 25

/** The endpoint of the log: that of the account, or that of the whole installation. */
export type AuditSource = { path: string; key: readonly unknown[]; headers: Record<string, string> }

export function auditQuery({ path, key, headers }: AuditSource, search: OperatorAuditSearch) {
  const { skip = 0 } = search
  const query = filterOf(search)
  query.set('skip', String(skip))
  query.set('limit', String(ENTRIES_PER_PAGE))
  return queryOptions({
    queryKey: [...key, 'audit-log', query.toString()],
    queryFn: ({ signal }) => ask<AuditLog>(`${path}?${query}`, { headers, signal }),
    placeholderData: keepPreviousData,
  })
}

/** All entries that match the filters, as a file. */
export async function fetchAuditSheet({ path, headers }: AuditSource, search: OperatorAuditSearch): Promise<Blob> {
  const query = filterOf(search)
  query.set('format', 'csv')
  const response = await fetch(`/app/api${path}?${query}`, { headers: { ...APP_HEADERS, ...headers } })
  if (!response.ok) throw await readFailure(response)
  return response.blob()
}

function filterOf({ action, by, from, to, account }: OperatorAuditSearch): URLSearchParams {
  return new URLSearchParams({
    ...(action && { action }),
    ...(by && { by }),
    ...(from && { from }),
    ...(to && { to }),
    ...(account && { account }),
  })
}
