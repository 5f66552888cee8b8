/** Class of the limits of an endpoint: see user-limits.ts. */
export type EndpointLimit = 'password' | 'letter' | 'code' | 'plain'

/** Endpoints of the sign-in library that are exposed, with the fields that are passed on. All others are not reachable. */
export type Endpoint = {
  method: 'GET' | 'POST'
  path: string
  fields: readonly string[]
  limit: EndpointLimit
  /** Requires a session. */
  needsSession?: true
  /** For requests within an account: the field with its id. */
  isWithin?: 'organizationId' | 'invitationId'
  /**
   * For invitations to the user's own address. If an invitation link verified the address, a response to an invitation requires the token
   * of
   * its link, and `list` shows none.
   */
  ownInvitations?: 'answer' | 'list'
  /** How second-factor.ts serves the endpoint: a 2FA code is entered, or required together with the password. */
  secondFactor?: 'enter_code' | 'change'
  /** The field with a new password. */
  newPassword?: string
}

const EMAIL_AND_PASSWORD = ['email', 'password'] as const

export const ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'POST',
    path: '/sign-up/email',
    fields: ['name', ...EMAIL_AND_PASSWORD],
    limit: 'password',
    newPassword: 'password',
  },
  { method: 'POST', path: '/sign-in/email', fields: EMAIL_AND_PASSWORD, limit: 'password' },
  { method: 'POST', path: '/sign-out', fields: [], limit: 'plain' },
  { method: 'POST', path: '/send-verification-email', fields: ['email'], limit: 'letter' },
  { method: 'POST', path: '/request-password-reset', fields: ['email'], limit: 'letter' },
  {
    method: 'POST',
    path: '/reset-password',
    fields: ['newPassword', 'token'],
    limit: 'password',
    newPassword: 'newPassword',
  },
  {
    method: 'POST',
    path: '/change-password',
    fields: ['newPassword', 'currentPassword'],
    limit: 'password',
    needsSession: true,
    newPassword: 'newPassword',
  },
  { method: 'POST', path: '/update-user', fields: ['name'], limit: 'plain', needsSession: true },
  { method: 'POST', path: '/two-factor/enable', fields: ['password'], limit: 'password', needsSession: true },
  {
    method: 'POST',
    path: '/two-factor/disable',
    fields: ['password', 'code'],
    limit: 'code',
    needsSession: true,
    secondFactor: 'change',
  },
  {
    method: 'POST',
    path: '/two-factor/generate-backup-codes',
    fields: ['password', 'code'],
    limit: 'code',
    needsSession: true,
    secondFactor: 'change',
  },
  { method: 'POST', path: '/two-factor/verify-totp', fields: ['code'], limit: 'code', secondFactor: 'enter_code' },
  {
    method: 'POST',
    path: '/two-factor/verify-backup-code',
    fields: ['code'],
    limit: 'code',
    secondFactor: 'enter_code',
  },
  {
    method: 'GET',
    path: '/organization/list-members',
    fields: ['organizationId', 'limit', 'offset'],
    limit: 'plain',
    needsSession: true,
    isWithin: 'organizationId',
  },
  {
    method: 'GET',
    path: '/organization/list-invitations',
    fields: ['organizationId'],
    limit: 'plain',
    needsSession: true,
    isWithin: 'organizationId',
  },
  {
    method: 'GET',
    path: '/organization/list-user-invitations',
    fields: [],
    limit: 'plain',
    needsSession: true,
    ownInvitations: 'list',
  },
  {
    method: 'POST',
    path: '/organization/invite-member',
    fields: ['organizationId', 'email', 'role', 'resend'],
    limit: 'letter',
    needsSession: true,
    isWithin: 'organizationId',
  },
  {
    method: 'POST',
    path: '/organization/cancel-invitation',
    fields: ['invitationId'],
    limit: 'plain',
    needsSession: true,
    isWithin: 'invitationId',
  },
  {
    method: 'POST',
    path: '/organization/accept-invitation',
    fields: ['invitationId'],
    limit: 'plain',
    needsSession: true,
    ownInvitations: 'answer',
  },
  {
    method: 'POST',
    path: '/organization/reject-invitation',
    fields: ['invitationId'],
    limit: 'plain',
    needsSession: true,
    ownInvitations: 'answer',
  },
  {
    method: 'POST',
    path: '/organization/update-member-role',
    fields: ['organizationId', 'memberId', 'role'],
    limit: 'plain',
    needsSession: true,
    isWithin: 'organizationId',
  },
  {
    method: 'POST',
    path: '/organization/remove-member',
    fields: ['organizationId', 'memberIdOrEmail'],
    limit: 'plain',
    needsSession: true,
    isWithin: 'organizationId',
  },
  { method: 'POST', path: '/organization/leave', fields: ['organizationId'], limit: 'plain', needsSession: true },
]
