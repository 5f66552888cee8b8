/** read_only_sql_transaction: a standby, or a server that was made read-only, for example because its disk is full. */
export const READ_ONLY = '25006'

/** Codes of Node and PostgreSQL for a database that is unavailable at the moment, as opposed to an invalid query. */
const CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  '53300', // too_many_connections
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '57P05', // idle_session_timeout
  READ_ONLY,
  '57014', // query_canceled: the statement timeout
  '55P03', // lock_not_available: the lock timeout
])

// Errors of the driver without a code.
const MESSAGES = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Client has encountered a connection error',
]

/** Whether the error means that the database is unavailable. The client may retry; its request is not the cause. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  if (CODES.has(code) || code.startsWith('08')) return true
  return MESSAGES.some((message) => error.message.startsWith(message))
}

/** Whether the server takes no writes. This is an outage too. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === READ_ONLY
}

/** Whether the login of a connection may not switch to the role of its program. */
export function isRoleDenied(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '42501' && error.message.includes('to set role')
}
