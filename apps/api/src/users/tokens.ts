import { createHmac, timingSafeEqual } from 'node:crypto'
import { signJWT, verifyJWT } from 'better-auth/crypto'

const VALID_FOR_S = 60 * 60
const PURPOSE = 'email change'

export type AddressChange = { userId: string; from: string; to: string }

/** The secret part of the link that confirms a new address. */
export function writeChangeToken({ userId, from, to }: AddressChange, secret: string): Promise<string> {
  return signJWT({ purpose: PURPOSE, sub: userId, from, to }, secret, VALID_FOR_S)
}

export async function readChangeToken(token: string, secret: string): Promise<AddressChange | undefined> {
  const claims = await verifyJWT<{ purpose: unknown; sub: string; from: string; to: string }>(token, secret)
  if (claims?.purpose !== PURPOSE) return undefined
  return { userId: claims.sub, from: claims.from, to: claims.to }
}

/** The address that a link of the sign-in library verifies. The library checks the token itself again. */
export async function readVerifiedAddress(token: string, secret: string): Promise<string | undefined> {
  const claims = await verifyJWT<{ email?: unknown; updateTo?: unknown }>(token, secret)
  return typeof claims?.email === 'string' && claims.updateTo === undefined ? claims.email : undefined
}

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
