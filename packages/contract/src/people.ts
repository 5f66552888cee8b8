import type { Static } from 'typebox'
import Type from 'typebox'
import { nullableString } from './nullable.ts'

const uuid = Type.String({ format: 'uuid' })
const text = (maxLength: number) => Type.String({ minLength: 1, maxLength })

/** What anybody may know of an installation before they sign in. */
export type Welcome = Static<typeof Welcome>
export const Welcome = Type.Object({
  sign_up: Type.Enum(['open', 'invitation'], { type: 'string' }),
  setup_needed: Type.Boolean(),
  public_url: Type.String(),
  sandbox_key: nullableString({}),
  mail: Type.Boolean(),
})

export type Setup = Static<typeof Setup>
export const Setup = Type.Object(
  {
    token: text(100),
    name: text(200),
    email: Type.String({ format: 'email', maxLength: 254 }),
    password: text(128),
    organisation: text(200),
  },
  { additionalProperties: false },
)

/** Who is signed in, and where they belong. */
export type Session = Static<typeof Session>
export const Session = Type.Object({
  person: Type.Object({
    id: uuid,
    name: Type.String(),
    email: Type.String(),
    email_verified: Type.Boolean(),
    two_factor: Type.Boolean(),
    is_operator: Type.Boolean(),
    may_create_accounts: Type.Boolean(),
  }),
  /** Whether the operator pages can be used from here and by this user; null for users who are not operators. */
  operator_access: Type.Union([
    Type.Enum(['allowed', 'two_factor_required', 'ip_not_allowed'], { type: 'string' }),
    Type.Null(),
  ]),
  memberships: Type.Array(
    Type.Object({ account_id: uuid, slug: nullableString({}), name: Type.String(), role: Type.String() }),
  ),
})

export type NewOrganisation = Static<typeof NewOrganisation>
export const NewOrganisation = Type.Object({ name: text(200) }, { additionalProperties: false })

export type Organisation = Static<typeof Organisation>
export const Organisation = Type.Object({
  account_id: uuid,
  slug: nullableString({}),
  name: Type.String(),
  role: Type.String(),
})

/** An invitation as whoever has its link sees it. */
export type Invitation = Static<typeof Invitation>
export const Invitation = Type.Object({
  organisation: Type.String(),
  role: Type.String(),
  inviter: Type.String(),
  email: Type.String(),
  expires_at: Type.String({ format: 'date-time' }),
  has_account: Type.Boolean(),
  /** Whether the link verifies the address, so that the invited user needs no other link. Never true with an SMTP relay. */
  link_verifies: Type.Boolean(),
})

/** The secret part of an invitation link. */
export type InvitationToken = Static<typeof InvitationToken>
export const InvitationToken = Type.Object({ token: Type.String() })

/** At least one character that is not a space, and no NUL, which PostgreSQL cannot store. */
const STORABLE_NAME = '^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$'

/** The invited user. The address is the invitation's, so it is not a field. */
export type InvitationJoin = Static<typeof InvitationJoin>
export const InvitationJoin = Type.Object(
  { token: text(100), name: Type.String({ maxLength: 200, pattern: STORABLE_NAME }), password: text(128) },
  { additionalProperties: false },
)

export type VerifyEmail = Static<typeof VerifyEmail>
export const VerifyEmail = Type.Object({ token: text(2000) }, { additionalProperties: false })

/** Where a person is signed in. */
export type Sessions = Static<typeof Sessions>
export const Sessions = Type.Object({
  sessions: Type.Array(
    Type.Object({
      id: uuid,
      ip_address: nullableString({}),
      user_agent: nullableString({}),
      created_at: Type.String({ format: 'date-time' }),
      last_seen_at: Type.String({ format: 'date-time' }),
      is_current: Type.Boolean(),
    }),
  ),
})
