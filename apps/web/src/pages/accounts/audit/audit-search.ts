import { isDay } from '../../../ui/day.ts'

/** The filters of the log, as kept in the URL. */
export type AuditSearch = { action?: string; by?: string; from?: string; to?: string; skip?: number }
/** Operators can also filter by account or by the installation. */
export type OperatorAuditSearch = AuditSearch & { account?: string }

export function readAuditSearch({ action, by, from, to, skip }: Record<string, unknown>): AuditSearch {
  return {
    ...(typeof action === 'string' && /^[a-z_]+$/.test(action) && { action }),
    ...((typeof by === 'string' || typeof by === 'number') && by !== '' && { by: String(by) }),
    ...(isDay(from) && { from }),
    ...(isDay(to) && { to }),
    ...(Number.isInteger(skip) && (skip as number) > 0 && { skip: skip as number }),
  }
}

export function readOperatorAuditSearch(search: Record<string, unknown>): OperatorAuditSearch {
  const { account } = search
  const isNamed = typeof account === 'string' && /^(installation|[0-9a-f-]{36})$/.test(account)
  return { ...readAuditSearch(search), ...(isNamed && { account }) }
}
