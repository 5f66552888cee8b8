import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * The secret part of an invitation link. The id alone is no secret: every member can list invitations, and the audit log has it. The
 * token is derived from the session secret, so that it is stored nowhere and ends with the invitation.
 */
export function invitationToken(secret: string, invitationId: string): string {
  return digest(secret, invitationId).toString('base64url')
}

export function isInvitationToken(secret: string, invitationId: string, token: unknown): boolean {
  if (typeof token !== 'string') return false
  const given = Buffer.from(token, 'base64url')
  const expected = digest(secret, invitationId)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function digest(secret: string, invitationId: string): Buffer {
  return createHmac('sha256', secret).update(`invitation link ${invitationId.toLowerCase()}`).digest()
}
