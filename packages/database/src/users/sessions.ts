import { hash, randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Trx } from '../connection/connect.ts'

/** The stored form of a session token. A fast hash suffices: the token is random and long. */
export function hashSessionToken(token: string): string {
  return hash('sha256', token, 'base64url')
}

export type SessionRow = {
  id: string
  ipAddress: string | null
  userAgent: string | null
  createdAt: Date
  lastSeenAt: Date
  isCurrent: boolean
}

type UsersDb = Kysely<unknown>

/** The sessions of a user that have not ended: the current one first, then the most recently used ones. */
export async function listSessions(users: UsersDb, userId: string, token: string): Promise<SessionRow[]> {
  const { rows } = await sql<SessionRow>`
    select id, ip_address as "ipAddress", user_agent as "userAgent", created_at as "createdAt",
           last_seen_at as "lastSeenAt", token_hash = ${hashSessionToken(token)} as "isCurrent"
    from sessions where user_id = ${userId} order by "isCurrent" desc, last_seen_at desc`.execute(users)
  return rows
}

/** Ends one session of a user, and returns whether there was one. */
export async function deleteSession(users: UsersDb, userId: string, sessionId: string): Promise<boolean> {
  const ended = sql`delete from sessions where user_id = ${userId} and id = ${sessionId} returning id`
  return endAndRecord(users, userId, ended)
}

/** Ends the session with a token, and returns whether there was one. */
export async function deleteCurrentSession(users: UsersDb, userId: string, token: string): Promise<boolean> {
  const ended = sql`
    delete from sessions where user_id = ${userId} and token_hash = ${hashSessionToken(token)} returning id`
  return endAndRecord(users, userId, ended)
}

/** Ends all sessions of a user except the current one, and returns whether there were any. */
export async function deleteOtherSessions(users: UsersDb, userId: string, token: string): Promise<boolean> {
  const ended = sql`
    delete from sessions where user_id = ${userId} and token_hash <> ${hashSessionToken(token)} returning id`
  return endAndRecord(users, userId, ended)
}

async function endAndRecord(users: UsersDb, userId: string, ended: ReturnType<typeof sql>): Promise<boolean> {
  return users.transaction().execute(async (trx) => {
    const { rows } = await ended.execute(trx)
    for (const _session of rows) await sql`select record_user_event(${userId}, null, 'session_ended')`.execute(trx)
    return rows.length > 0
  })
}

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
