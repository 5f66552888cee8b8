import { type Kysely, sql } from 'kysely'
import { hashSessionToken } from './sessions.ts'

type UsersDb = Kysely<unknown>

/** Remembers a code of an authenticator app for two minutes. Returns false if the user has used it before in that time. */
export async function claimCode(users: UsersDb, userId: string, code: string): Promise<boolean> {
  const { rows } = await sql`
    update two_factors set used_codes = jsonb_build_object(${code}::text, extract(epoch from clock_timestamp())::bigint) || (
      select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(used_codes)
      where value::text::bigint > extract(epoch from clock_timestamp()) - 120
    )
    where user_id = ${userId}
      and coalesce((used_codes ->> ${code}::text)::bigint, 0) < extract(epoch from clock_timestamp()) - 120
    returning id`.execute(users)
  return rows.length > 0
}

/** An entry of a code in a signed-in session. */
export type CodeAttempt = {
  /** Wrong codes of the user within 15 minutes, including this one until `forgetCodeAttempt` withdraws it. At most 7. */
  count: number
  enteredAt: string
}

/**
 * Counts a code as wrong before it is compared, so that concurrent guesses cannot exceed the limit. Undefined for users without 2FA, who
 * are setting it up. Locks the user's 2FA configuration for the statement.
 */
export async function beginCodeAttempt(users: UsersDb, userId: string): Promise<CodeAttempt | undefined> {
  const { rows } = await sql<CodeAttempt>`
    update two_factors set wrong_codes = array(
      select at from unnest(wrong_codes || clock_timestamp()) as at
      where at > clock_timestamp() - interval '15 minutes' order by at limit 7
    )
    where user_id = ${userId} and verified
    returning cardinality(wrong_codes) as count, wrong_codes[cardinality(wrong_codes)]::text as "enteredAt"`.execute(
    users,
  )
  return rows[0]
}

/** The code was correct, or it was not compared. */
export async function forgetCodeAttempt(users: UsersDb, userId: string, { enteredAt }: CodeAttempt): Promise<void> {
  await sql`
    update two_factors set wrong_codes = array_remove(wrong_codes, ${enteredAt}::timestamptz)
    where user_id = ${userId}`.execute(users)
}

/** Records the 2FA code that started a session. */
export async function startWithCode(users: UsersDb, token: string): Promise<void> {
  await sql`
    update sessions set code_entered_at = clock_timestamp() where token_hash = ${hashSessionToken(token)}`.execute(
    users,
  )
}

/** Records a later code. It counts only in a session that a code started. */
export async function renewCode(users: UsersDb, token: string): Promise<void> {
  await sql`
    update sessions set code_entered_at = clock_timestamp()
    where token_hash = ${hashSessionToken(token)} and code_entered_at is not null`.execute(users)
}

/** The second factor of a user changes: no session may use it as a proof before the next sign-in. */
export async function forgetCodes(users: UsersDb, userId: string): Promise<void> {
  await sql`update sessions set code_entered_at = null where user_id = ${userId}`.execute(users)
}
