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
