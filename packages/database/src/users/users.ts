import { hash } from 'node:crypto'
import type { Role } from '@probity/contract/constants/users'
import { sql } from 'kysely'
import type { AccountOptions, AuthKey } from '../accounts/keys.ts'
import { type Db, type Trx, withoutTenant } from '../connection/connect.ts'
import { hashSessionToken } from './sessions.ts'

export type User = {
  userId: string
  name: string
  email: string
  emailVerified: boolean
  twoFactor: boolean
  isOperator: boolean
  /** The address was verified by an invitation link and not by an email. */
  verifiedByLink: boolean
  /** Age of the last 2FA code of the session. Null if none counts for operator actions. */
  codeAgeS: number | null
}

export type Membership = { accountId: string; slug: string | null; name: string; role: Role }

/** The data that authenticates a member, as AuthKey does for keys. */
export type AuthMember = Pick<
  AuthKey,
  | 'accountId'
  | 'retentionDays'
  | 'plan'
  | 'requestsPerWindow'
  | 'windowS'
  | 'interactiveInFlight'
  | 'accountIpAllowList'
  | 'suspended'
> &
  AccountOptions & { role: Role }

/** The user of a session that has not ended. */
export async function findSession(db: Db, token: string): Promise<User | undefined> {
  const tokenHash = hashSessionToken(token)
  const { rows } = await withoutTenant(db, (trx) => sql<User>`select * from find_session(${tokenHash})`.execute(trx))
  return rows[0]
}

/** The same, with the user's role in an account: undefined if the user is not a member. */
export async function findSessionIn(db: Db, token: string, accountId: string) {
  return withoutTenant(db, async (trx) => {
    const { rows } = await sql<User>`select * from find_session(${hashSessionToken(token)})`.execute(trx)
    const [person] = rows
    if (person === undefined) return undefined
    const members = await sql<AuthMember>`
      select m.*, is_account_suspended(m.account_id) as suspended
      from find_member(${person.userId}, ${accountId}) m`.execute(trx)
    return { person, member: members.rows[0] }
  })
}

/** The IP allowlist of an account, found by its id or by an invitation to it; empty if there is no such account. */
export async function findNetwork(db: Db, { accountId, invitationId }: { accountId?: string; invitationId?: string }) {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<{ list: string[] | null }>`
      select find_ip_allowlist(${accountId ?? null}::uuid, ${invitationId ?? null}::uuid) as list`.execute(trx),
  )
  return rows[0]?.list ?? []
}

export async function listMemberships(db: Db, personId: string): Promise<Membership[]> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<Membership>`select * from list_memberships(${personId})`.execute(trx),
  )
  return rows
}

export type OpenInvitation = {
  organisation: string
  role: Role
  inviter: string
  email: string
  expiresAt: Date
}

/** An invitation that can still be accepted. */
export async function findInvitation(db: Db, id: string): Promise<OpenInvitation | undefined> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<OpenInvitation>`select * from find_invitation(${id})`.execute(trx),
  )
  return rows[0]
}

/** Whether this user may hand out the link of a pending invitation. */
export async function mayShareInvitation(db: Db, invitationId: string, personId: string): Promise<boolean> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<{ may: boolean }>`select may_share_invitation(${invitationId}, ${personId}) as may`.execute(trx),
  )
  return rows[0]?.may ?? false
}

export type InvitedUser = { name: string; passwordHash: string }

/** Creates the invited user and the membership. Returns the invited address, or undefined when the invitation cannot be used. */
export async function joinByInvitation(db: Db, id: string, user: InvitedUser): Promise<string | undefined> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<{ email: string | null }>`
      select join_by_invitation(${id}, ${user.name}, ${user.passwordHash}) as email`.execute(trx),
  )
  return rows[0]?.email ?? undefined
}

/** Plan and opening credits of a new account; null for unlimited credits. */
export type Opening = { plan: string; credits: number | null }

/** The user who creates an account. `addressHash` recognizes the address of a user who was granted opening credits before. */
type Creator = { userId: string; addressHash: Buffer }

/** Creates an account that belongs to this user. Undefined if they own as many as they may. */
export async function createAccount(
  db: Db,
  { userId, addressHash }: Creator,
  name: string,
  { plan, credits }: Opening,
): Promise<string | undefined> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<{ id: string | null }>`
      select create_account(${userId}, ${name}, ${plan}, ${credits}, ${addressHash}) as id`.execute(trx),
  )
  return rows[0]?.id ?? undefined
}

/** Whether no user exists yet. */
export async function isSetupNeeded(db: Db): Promise<boolean> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<{ needed: boolean }>`select is_setup_needed() as needed`.execute(trx),
  )
  return rows[0]?.needed ?? false
}

export async function isSetupToken(db: Db, token: string): Promise<boolean> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<{ known: boolean }>`select is_setup_token(${hashToken(token)}) as known`.execute(trx),
  )
  return rows[0]?.known ?? false
}

export type FirstUser = { name: string; email: string; passwordHash: string; organisation: string }

/** Creates the first user. Returns false if the token is invalid or has expired, or if a user exists. */
export async function claimSetup(db: Db, token: string, first: FirstUser): Promise<boolean> {
  const { name, email, passwordHash, organisation } = first
  const { rows } = await withoutTenant(db, (trx) =>
    sql`select * from claim_setup(${hashToken(token)}, ${name}, ${email}, ${passwordHash}, ${organisation})`.execute(
      trx,
    ),
  )
  return rows.length > 0
}

/** Replaces the setup token. False if it is no longer needed. As the owner. */
export async function replaceSetupToken(trx: Trx, token: string): Promise<boolean> {
  const someone = await trx.selectFrom('users').select('id').limit(1).executeTakeFirst()
  if (someone) return false
  await trx
    .insertInto('setupTokens')
    .values({ hash: hashToken(token) })
    .onConflict((row) => row.column('onlyOne').doUpdateSet({ hash: hashToken(token), madeAt: sql`clock_timestamp()` }))
    .execute()
  return true
}

/** As for keys, a fast hash is sufficient: the token is random and long. */
function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

/** Deletes expired sessions and returns their number. */
export async function removeEndedSessions(db: Db): Promise<number> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<{ ended: number }>`select delete_ended_sessions() as ended`.execute(trx),
  )
  return rows[0]?.ended ?? 0
}
