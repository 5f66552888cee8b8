import { type Kysely, sql } from 'kysely'
import { type Db, withoutTenant } from '../connection/connect.ts'

type UsersDb = Kysely<unknown>

type UserEvent = 'signed_in' | 'sign_in_failed' | 'session_ended' | 'wrong_code' | 'recovery_codes_created'

/** Records an event of a user in the audit log of each of the user's accounts. Does nothing if there is no such user. */
export async function recordUserEvent(db: Db, user: { id: string } | { email: string }, event: UserEvent) {
  const [id, email] = 'id' in user ? [user.id, null] : [null, user.email]
  await withoutTenant(db, (trx) => sql`select record_user_event(${id}::uuid, ${email}, ${event})`.execute(trx))
}

export type Credential = { userId: string; name: string; email: string; passwordHash: string }

/** The password hash of the user with an address. */
export async function findCredential(users: UsersDb, email: string): Promise<Credential | undefined> {
  const { rows } = await sql<Credential>`
    select u.id as "userId", u.name, u.email, c.password as "passwordHash"
    from users u join credentials c on c.user_id = u.id and c.provider = 'credential' and c.password is not null
    where u.email = ${email.toLowerCase()}`.execute(users)
  return rows[0]
}

/** Verifies the address of a user who has shown control of the mailbox. */
export async function verifyAddress(users: UsersDb, userId: string): Promise<void> {
  await sql`update users set email_verified = true, updated_at = clock_timestamp() where id = ${userId}`.execute(users)
}

const UNIQUE_VIOLATION = '23505'

/**
 * Replaces the address of a user. Returns false if the user no longer has the old address or another user has the new one; so a link
 * with both addresses works once.
 */
export async function changeAddress(
  users: UsersDb,
  { userId, from, to }: { userId: string; from: string; to: string },
) {
  try {
    const { rows } = await sql`
      update users set email = ${to.toLowerCase()}, email_verified = true, updated_at = clock_timestamp()
      where id = ${userId} and email = ${from.toLowerCase()}
        and not exists (select from users where email = ${to.toLowerCase()})
      returning id`.execute(users)
    return rows.length > 0
  } catch (error) {
    // Another user got the address at the same time.
    if (error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION) return false
    throw error
  }
}

/**
 * Deletes a user with credentials, sessions and memberships. Returns false for operators, who give up that right first. Throws PB001
 * if an account would be left without an owner.
 */
export async function deleteProfile(users: UsersDb, userId: string): Promise<boolean> {
  return users.transaction().execute(async (trx) => {
    const { rows } = await sql`select id from users where id = ${userId} and not is_operator for update`.execute(trx)
    if (rows.length === 0) return false
    await sql`select record_user_event(${userId}, null, 'deleted')`.execute(trx)
    await sql`delete from users where id = ${userId}`.execute(trx)
    return true
  })
}
