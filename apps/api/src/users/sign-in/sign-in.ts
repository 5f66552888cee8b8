import { ROLES } from '@probity/contract/constants/users'
import { isAccountSuspended } from '@probity/database/accounts/accounts'
import type { Db } from '@probity/database/connection/connect'
import { recordUserEvent } from '@probity/database/users/profiles'
import { findInvitation, findNetwork } from '@probity/database/users/users'
import type { Admission } from '@probity/redis/admission'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { refuseForeignNetwork } from '../../http/networks.ts'
import { invalidField, Problem } from '../../http/problem.ts'
import type { Route } from '../../http/route.ts'
import { findOwnSession, requireUser } from '../../middleware/authentication/session.ts'
import { ENDPOINTS, type Endpoint } from '../../middleware/rate-limit/data/endpoints.ts'
import { limitInvitations, limitUser } from '../../middleware/rate-limit/user-limits.ts'
import { isInvitationToken } from '../tokens.ts'
import type { UserServices } from '../users.ts'
import { callLibrary, type LibraryRequest, passOn, passOnSignIn } from './forward-sign-in.ts'
import { refuseWeakPassword } from './passwords.ts'
import { hashRecoveryCode } from './recovery-codes.ts'
import { changeSecondFactor, enterCode, RECOVERY_PATH } from './second-factor.ts'

type SignInDependencies = {
  db: Db
  admission: Admission
  people: UserServices
  log: FastifyBaseLogger
}

/** The exposed endpoints of the sign-in library. Requests are checked, rate-limited and passed on field by field. */
export const signIn: Route<SignInDependencies> = async (app, services) => {
  for (const endpoint of ENDPOINTS) {
    app.route({
      method: endpoint.method,
      url: `/auth${endpoint.path}`,
      // The library treats an unavailable database as a missing session. We return service_unavailable instead.
      ...(endpoint.needsSession && { onRequest: requireUser(services) }),
      handler: (request, reply) => serve(services, endpoint, request, reply),
    })
  }
}

async function serve(services: SignInDependencies, endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply) {
  const given = (endpoint.method === 'GET' ? request.query : request.body) ?? {}
  const fields = choose(given as Record<string, unknown>, endpoint.fields)
  const isKnownBrowser = await limitUser(services, request, endpoint.limit, fields['email'])
  refuseMalformed(fields)
  if (endpoint.isWithin) await refuseElsewhere(services, endpoint.isWithin, request, fields)
  if (endpoint.ownInvitations && request.person?.verifiedByLink) {
    if (endpoint.ownInvitations === 'list') return reply.send([])
    await refuseWithoutToken(services, given as Record<string, unknown>)
  }
  if (endpoint.newPassword) await refuseWeakPassword(fields[endpoint.newPassword])
  const { method, path, secondFactor } = endpoint
  await prepare(services, path, given as Record<string, unknown>, fields)
  try {
    if (path === '/sign-out') await recordSignOut(services, request)
    const send = () => answer(services, request, reply, { method, path, fields, secondFactor })
    return isKnownBrowser || request.person ? await services.people.passwords.forKnownClient(send) : await send()
  } catch (error) {
    throw isLastOwner(error) ? new Problem('last_owner') : error
  }
}

/** Further requirements of an endpoint. */
async function prepare(
  services: SignInDependencies,
  path: string,
  given: Record<string, unknown>,
  fields: Record<string, unknown>,
): Promise<void> {
  if (path === '/sign-up/email') await refuseUninvited(services, given)
  if (path === '/change-password') fields['revokeOtherSessions'] = true
  // The library compares it with the stored hashes.
  if (path === RECOVERY_PATH) fields['code'] = hashRecoveryCode(String(fields['code']))
  if (path === '/organization/invite-member') {
    const accountId = String(fields['organizationId'])
    if (await isAccountSuspended(services.db, accountId)) throw new Problem('account_suspended')
    await limitInvitations(services, accountId)
  }
}

const SIGN_IN_PATHS = ['/sign-in/email', '/two-factor/verify-totp', RECOVERY_PATH]

async function answer(
  services: SignInDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  { secondFactor, ...question }: LibraryRequest & { secondFactor: Endpoint['secondFactor'] | undefined },
) {
  if (secondFactor === 'change') return passOn(reply, await changeSecondFactor(services, request, question))
  const send = secondFactor === 'enter_code' ? enterCode : callSignIn
  const response = await send(services, request, question)
  if (!SIGN_IN_PATHS.includes(question.path)) return passOn(reply, response)
  const { email } = question.fields
  return passOnSignIn(services, request, reply, { response, email: email === undefined ? undefined : String(email) })
}

const callSignIn = ({ people }: SignInDependencies, request: FastifyRequest, question: LibraryRequest) =>
  callLibrary(people, request, question)

async function recordSignOut(services: SignInDependencies, request: FastifyRequest): Promise<void> {
  const session = await findOwnSession(services, request)
  if (session) await recordUserEvent(services.db, { id: session.person.userId }, 'session_ended')
}

function choose(given: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]))
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const IDS = ['organizationId', 'memberId', 'invitationId']
const NUMBERS = ['limit', 'offset']
const NAME_LENGTH_MAX = 200

/** Values that the database would reject. */
function refuseMalformed(fields: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(fields)) {
    const detail = faultIn(name, value)
    if (detail) throw invalidField(`/${name}`, detail)
  }
}

function faultIn(name: string, value: unknown): string | undefined {
  if (typeof value === 'object') return 'must be a single value'
  const text = String(value)
  if (text.includes('\0')) return 'contains a character that cannot be stored'
  if (IDS.includes(name) && !UUID.test(text)) return 'must be an id'
  if (NUMBERS.includes(name) && !/^\d{1,6}$/.test(text)) return 'must be a whole number'
  if (name === 'memberIdOrEmail' && !UUID.test(text) && !text.includes('@')) return 'must be an id or an address'
  if (name === 'role' && !Object.hasOwn(ROLES, text)) return 'must be a role'
  if (name === 'name' && (text.trim() === '' || text.length > NAME_LENGTH_MAX)) return 'must have 1 to 200 characters'
  if (name === 'name' && /[\p{Cc}\u2028\u2029]/u.test(text)) return 'must be a single line of text'
  if (name === 'email' && text.length > 254) return 'is too long for an address'
  return undefined
}

/** Applies the IP allowlist of the account. Without an account id the library would choose an account itself. */
async function refuseElsewhere(
  { db }: { db: Db },
  named: 'organizationId' | 'invitationId',
  request: FastifyRequest,
  fields: Record<string, unknown>,
): Promise<void> {
  const id = fields[named]
  if (id === undefined) {
    throw invalidField(`/${named}`, 'must be an id')
  }
  const place = named === 'organizationId' ? { accountId: String(id) } : { invitationId: String(id) }
  refuseForeignNetwork(request, { accountIpAllowList: await findNetwork(db, place) })
}

/** With sign-up by invitation, the request needs the id of an invitation to this address. */
async function refuseUninvited(
  { db, people }: SignInDependencies,
  { email, invitation_id: id }: Record<string, unknown>,
) {
  if (people.signUp === 'open') return
  const invitation = typeof id === 'string' && UUID.test(id) ? await findInvitation(db, id) : undefined
  if (invitation?.email.toLowerCase() !== String(email).trim().toLowerCase()) throw new Problem('signup_disabled')
}

/**
 * An invitation link verifies an address for the inviting account, and an inviter can name any address. For other accounts the address
 * proves
 * nothing, so a response to their invitations requires the token of their own link.
 */
async function refuseWithoutToken(
  { people }: { people: UserServices },
  { invitationId, token }: Record<string, unknown>,
): Promise<void> {
  if (!isInvitationToken(await people.secret(), String(invitationId), token)) throw new Problem('not_found')
}

/** Raised by a trigger when two owners leave concurrently. */
export function isLastOwner(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'PB001'
}
