import type { Static } from 'typebox'
import Type from 'typebox'
import { NOTIFICATION_KINDS } from '../constants/users.ts'
import { nullableString } from './fields.ts'

const uuid = Type.String({ format: 'uuid' })
const text = (maxLength: number) => Type.String({ minLength: 1, maxLength })
const email = Type.String({ format: 'email', maxLength: 254 })

/** A single line with at least one character that is not a space. Names are part of emails. */
const NAME =
  '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*[^\\s\\u0000-\\u001f\\u007f-\\u009f][^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$'
const name = Type.String({ minLength: 1, maxLength: 200, pattern: NAME })

/** Public information about an installation, available before sign-in. */
export type InstallationInfo = Static<typeof InstallationInfo>
export const InstallationInfo = Type.Object({
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
    name,
    email,
    password: text(128),
    organisation: name,
  },
  { additionalProperties: false },
)

/** The signed-in user and their accounts. */
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

export type CreateAccount = Static<typeof CreateAccount>
export const CreateAccount = Type.Object({ name }, { additionalProperties: false })

export type CreatedAccount = Static<typeof CreatedAccount>
export const CreatedAccount = Type.Object({
  account_id: uuid,
  slug: nullableString({}),
  name: Type.String(),
  role: Type.String(),
})

/** An invitation, as shown to users with its link. */
export type Invitation = Static<typeof Invitation>
export const Invitation = Type.Object({
  organisation: Type.String(),
  role: Type.String(),
  inviter: Type.String(),
  email: Type.String(),
  expires_at: Type.String({ format: 'date-time' }),
  /** Whether the link verifies the address of a new user, who then needs no other link. Never true with an SMTP relay. */
  link_verifies: Type.Boolean(),
})

/** The secret part of an invitation link. */
export type InvitationToken = Static<typeof InvitationToken>
export const InvitationToken = Type.Object({ token: Type.String() })

/** The invited user. The address is the invitation's, so it is not a field. */
export type InvitationJoin = Static<typeof InvitationJoin>
export const InvitationJoin = Type.Object(
  { token: text(100), name, password: text(128) },
  { additionalProperties: false },
)

export type VerifyEmail = Static<typeof VerifyEmail>
export const VerifyEmail = Type.Object({ token: text(2000), password: text(128) }, { additionalProperties: false })

/** Requests a link to a new address. */
export type EmailChange = Static<typeof EmailChange>
export const EmailChange = Type.Object({ email, password: text(128) }, { additionalProperties: false })

export type ConfirmEmailChange = Static<typeof ConfirmEmailChange>
export const ConfirmEmailChange = Type.Object(
  { token: text(2000), password: text(128) },
  { additionalProperties: false },
)

/** Deletes the profile. The address is entered again, as a confirmation. */
export type DeleteProfile = Static<typeof DeleteProfile>
export const DeleteProfile = Type.Object(
  { email: Type.String({ maxLength: 254 }), password: text(128) },
  { additionalProperties: false },
)

/** Active sessions of a user. */
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

/** Notification settings of a user in one account; null for the default of the role. */
export type NotificationChoice = Static<typeof NotificationChoice>
export const NotificationChoice = Type.Object(
  {
    wanted: Type.Union([
      Type.Array(Type.Enum(NOTIFICATION_KINDS, { type: 'string' }), {
        uniqueItems: true,
        maxItems: NOTIFICATION_KINDS.length,
      }),
      Type.Null(),
    ]),
  },
  { additionalProperties: false },
)

export type NotificationSettings = Static<typeof NotificationSettings>
export const NotificationSettings = Type.Object({
  ...NotificationChoice.properties,
  usual: Type.Array(Type.String()),
  /** Whether the installation can send email. */
  mail: Type.Boolean(),
})
