import { isDay } from '../../ui/format.ts'

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

/** Time ranges of the verdicts, in days. */
export const DASHBOARD_RANGES = [7, 30, 90] as const
export type DashboardRange = (typeof DASHBOARD_RANGES)[number]

type DashboardSearch = { days?: DashboardRange }

export function readDashboardSearch({ days }: Record<string, unknown>): DashboardSearch {
  return DASHBOARD_RANGES.includes(days as DashboardRange) && days !== RANGE_USUAL
    ? { days: days as DashboardRange }
    : {}
}

/** Whether expired and revoked keys are shown, and whether the form for a new key is open. */
type KeysSearch = { ended?: true | undefined; create?: true | undefined }

export function readKeysSearch({ ended, create }: Record<string, unknown>): KeysSearch {
  return { ...(ended === true && { ended }), ...(create === true && { create }) }
}

/** Whether the policy is edited or copied. */
type PolicySearch = { do?: 'edit' | 'copy' }

export function readPolicySearch(search: Record<string, unknown>): PolicySearch {
  const { do: wish } = search
  return wish === 'edit' || wish === 'copy' ? { do: wish } : {}
}

/** Classes of HTTP statuses, with their labels. */
export const CLASS_LABELS = {
  success: 'Success',
  client_error: 'Client error (4xx)',
  server_error: 'Server error (5xx)',
} as const
type StatusClass = keyof typeof CLASS_LABELS

/** Filters, cursor and the open request. */
export type RequestsSearch = {
  class?: StatusClass
  code?: string
  key?: string
  from?: string
  to?: string
  cursor?: string
  request?: string
}

const CODE = /^[a-z_]{1,60}$/
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const CURSOR = /^[\w-]{1,100}$/
/** The format of a `datetime-local` field. */
const MINUTE = /^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d$/

/** Drops values that the API would reject, so that a truncated link shows all requests instead of an error. */
export function readRequestsSearch(search: Record<string, unknown>): RequestsSearch {
  const { class: statusClass, code, key, from, to, cursor, request } = search
  const id = readRequestId(request)
  return {
    ...(isStatusClass(statusClass) && { class: statusClass }),
    ...(matches(code, CODE) && { code }),
    ...(matches(key, UUID) && { key }),
    ...(isMinute(from) && { from }),
    ...(isMinute(to) && { to }),
    ...(matches(cursor, CURSOR) && { cursor }),
    ...(id && { request: id }),
  }
}

export function isStatusClass(value: unknown): value is StatusClass {
  return typeof value === 'string' && Object.hasOwn(CLASS_LABELS, value)
}

export function isMinute(value: unknown): value is string {
  return matches(value, MINUTE) && !Number.isNaN(Date.parse(value))
}

/** The request ID in pasted text: alone, in quotes, or in a log line. */
export function readRequestId(text: unknown): string | undefined {
  const [, id] =
    (typeof text === 'string' && /(?:req_)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/i.exec(text)) || []
  return id && `req_${id.toLowerCase()}`
}

function matches(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value)
}

/** Ranges of the chart, in days. */
export const RANGES = [7, 30, 90, 365] as const
export type Range = (typeof RANGES)[number]
export const RANGE_USUAL = 30

/** Ledger filters in the URL. */
export type LedgerSearch = { kind?: string; from?: string; to?: string; key?: string; skip?: number }
type UsageSearch = LedgerSearch & { days?: Range }

export function readUsageSearch(search: Record<string, unknown>): UsageSearch {
  const { days, kind, from, to, key, skip } = search
  return {
    ...(RANGES.includes(days as Range) && days !== RANGE_USUAL && { days: days as Range }),
    ...(isText(kind) && { kind }),
    ...(isDay(from) && { from }),
    ...(isDay(to) && { to }),
    ...(isText(key) && { key }),
    ...(Number.isInteger(skip) && (skip as number) > 0 && { skip: skip as number }),
  }
}

/** The API rejects empty values. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** Filters of the overrides in the URL. */
export type OverridesSearch = {
  action?: 'allow' | 'block' | undefined
  search?: string | undefined
  skip?: number | undefined
}

export function readOverridesSearch({ action, search, skip }: Record<string, unknown>): OverridesSearch {
  return {
    ...((action === 'allow' || action === 'block') && { action }),
    // A search text of digits is parsed as a number.
    ...((typeof search === 'string' || typeof search === 'number') && search !== '' && { search: String(search) }),
    ...(typeof skip === 'number' && Number.isInteger(skip) && skip > 0 && { skip }),
  }
}
