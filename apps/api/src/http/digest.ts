import { createHash } from 'node:crypto'

/** An address in the names of counters. Redis contains no addresses. */
export function digest(email: string): string {
  return createHash('sha256').update(email.trim().toLowerCase()).digest('base64url').slice(0, 22)
}
