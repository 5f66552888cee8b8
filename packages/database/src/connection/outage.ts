/** Codes of Node and PostgreSQL that mean the database cannot be reached or asked just now, rather than asked wrongly. */
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
  '57014', // query_canceled: the statement timeout
  '55P03', // lock_not_available: the lock timeout
])

// What the driver raises without a code.
const MESSAGES = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Client has encountered a connection error',
]

/** Whether an error says that the database is away. The caller may try again; it did nothing wrong. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  if (CODES.has(code) || code.startsWith('08')) return true
  return MESSAGES.some((message) => error.message.startsWith(message))
}

/** Whether the login of a connection may not switch to the role of its program. */
export function isRoleDenied(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '42501' && error.message.includes('to set role')
}
