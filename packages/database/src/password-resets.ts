import { hash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Trx } from './connect.ts'

export type PasswordReset = { token: string; expiresAt: Date }

/**
 * Creates a password reset that an operator hands over as a link. As an operator or as the owner. The token works once and for an hour.
 * Undefined when no user has the address.
 */
export async function createPasswordReset(trx: Trx, email: string): Promise<PasswordReset | undefined> {
  const token = randomBytes(24).toString('base64url')
  // The identifier of the sign-in library (better-auth with `storeIdentifier: 'hashed'`): only the hash is stored.
  const identifier = hash('sha256', `reset-password:${token}`, 'base64url')
  const { rows } = await sql<{ expiresAt: Date | null }>`
    select create_password_reset(${email.trim()}, ${identifier}) as expires_at`.execute(trx)
  const expiresAt = rows[0]?.expiresAt
  return expiresAt ? { token, expiresAt } : undefined
}
