import { createHmac, timingSafeEqual } from 'node:crypto'
import { mayUse, ROLES } from '@probity/contract/constants/users'
import type { Db } from '@probity/database/connection/connect'
import { cacheSecret } from '@probity/database/system/processes'
import { type AuthMember, findSession, findSessionIn, type User } from '@probity/database/users/users'
import type { FastifyRequest } from 'fastify'
import { refuseForeignNetwork } from '../../http/networks.ts'
import { invalidField, Problem } from '../../http/problem.ts'
import type { Auth } from './auth.ts'

/** Names of our cookies. Over HTTPS the __Host- prefix makes the browser limit them to this host. */
export function cookieNames(publicUrl: string | undefined) {
  const isSecure = publicUrl?.startsWith('https://') ?? false
  const prefix = isSecure ? '__Host-probity' : 'probity'
  return { isSecure, session: `${prefix}.session_token`, device: `${prefix}.device`, prefix }
}

/** Makes a browser delete a cookie. Browsers accept a change of a __Host- cookie only with these attributes. */
export function clearCookie(publicUrl: string | undefined, name: string): string {
  return `${name}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax${cookieNames(publicUrl).isSecure ? '; Secure' : ''}`
}

/** Returns the value of a cookie in a request header. The first of several with the same name counts. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const at = part.indexOf('=')
    if (at > 0 && part.slice(0, at).trim() === name) return decode(part.slice(at + 1).trim())
  }
  return undefined
}

/** Quotes are removed as by the sign-in library, so that both read the same session from a header. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.startsWith('"') ? text.slice(1, -1) : text)
  } catch {
    return undefined // not our cookie
  }
}

/** The secret that signs sessions: SESSION_SECRET, or the one that the migrations generated. Read at first use. */
export function openSessionSecret(db: Db, given: string | undefined): () => Promise<string> {
  const made = cacheSecret(db, 'sessions')
  return async () => given ?? (await made()).export().toString('base64')
}

const SIGNED = /^([A-Za-z0-9]{16,64})\.([A-Za-z0-9+/]{43}=)$/

/** Returns the token of a session cookie with a valid signature. Other cookies are rejected without a database query. */
export function readSignedToken(cookie: string, secret: string): string | undefined {
  const [, token, signature] = SIGNED.exec(cookie) ?? []
  if (token === undefined || signature === undefined) return undefined
  const expected = createHmac('sha256', secret).update(token).digest()
  return timingSafeEqual(expected, Buffer.from(signature, 'base64')) ? token : undefined
}

/** Services of user sign-in for requests of signed-in users. */
export type UserAuthentication = {
  publicUrl: string | undefined
  signUp: 'open' | 'invitation'
  hasMail: boolean
  /** Signs session cookies. */
  secret(): Promise<string>
  auth(): Promise<{ api: { verifyPassword(check: PasswordCheck): Promise<unknown> } }>
  passwords: { forKnownClient<T>(work: () => Promise<T>): Promise<T> }
}

type PasswordCheck = { body: { password: string }; headers: Headers }

declare module 'fastify' {
  interface FastifyRequest {
    /** The signed-in user. Set for every route under /app/api that requires a session. */
    person: User | undefined
    /** Role of the user in the selected account. */
    member: AuthMember | undefined
  }
}

type Dependencies = { db: Db; people: UserAuthentication }

/** Returns the signed-in user; throws without a session. */
export function requireUser(dependencies: Dependencies) {
  return async (request: FastifyRequest): Promise<void> => {
    request.person = await findPerson(dependencies, request)
  }
}

async function findPerson(dependencies: Dependencies, request: FastifyRequest): Promise<User> {
  return (await requireSession(dependencies, request)).person
}

export type OwnSession = { person: User; token: string }

/** Returns the session of a request, with its token; undefined if there is none. */
export async function findOwnSession(
  dependencies: Dependencies,
  request: FastifyRequest,
): Promise<OwnSession | undefined> {
  const token = await readSessionToken(dependencies, request)
  const person = token === undefined ? undefined : await findSession(dependencies.db, token)
  return token === undefined || person === undefined ? undefined : { person, token }
}

/** The same; throws if there is none. */
export async function requireSession(dependencies: Dependencies, request: FastifyRequest): Promise<OwnSession> {
  const session = await findOwnSession(dependencies, request)
  if (session === undefined) throw new Problem('unauthenticated')
  return session
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Like requireUser, for the routes that also accept keys. Two headers select the account and the mode. */
export function requireMember(dependencies: Dependencies) {
  return async (request: FastifyRequest): Promise<void> => {
    const { 'probity-mode': mode = 'live' } = request.headers
    // A missing session is reported first, regardless of the account in the request.
    const found = await findMember(dependencies, request)
    if (found === undefined) throw new Problem('unauthenticated')
    if (found.member === undefined) throw new Problem('not_found', NO_SUCH_ACCOUNT)
    if (mode !== 'live' && mode !== 'test') {
      throw invalidField('Probity-Mode', MODES)
    }
    refuseForeignNetwork(request, found.member)
    request.person = found.person
    request.member = found.member
    request.auth = authOf(found.person, found.member, mode)
  }
}

/** Returns the session of a request and its membership in the requested account; undefined if the session has ended. */
export async function findMember(dependencies: Dependencies, request: FastifyRequest) {
  const token = await readSessionToken(dependencies, request)
  if (token === undefined) return undefined
  const { 'probity-account': accountId } = request.headers
  const isNamed = typeof accountId === 'string' && UUID.test(accountId)
  return findSessionIn(dependencies.db, token, isNamed ? accountId : NO_ACCOUNT)
}

const NO_ACCOUNT = '00000000-0000-0000-0000-000000000000'
const NO_SUCH_ACCOUNT = 'The account in the header Probity-Account does not exist, or you are not a member of it.'
const MODES = 'must be live or test'

/** Returns the session token of a request if its signature is valid. */
export async function readSessionToken(
  { people }: Dependencies,
  { headers }: FastifyRequest,
): Promise<string | undefined> {
  const cookie = readCookie(headers.cookie, cookieNames(people.publicUrl).session)
  return cookie === undefined ? undefined : readSignedToken(cookie, await people.secret())
}

/** Describes a user in the same form as a key. The web application uses the API, so API access is part of every plan for users. */
function authOf(person: User, member: AuthMember, mode: 'live' | 'test'): Auth {
  const { role, ...plan } = member
  return {
    ...plan,
    id: null,
    name: person.name,
    mode,
    scopes: [...ROLES[role].scopes],
    apiAccess: true,
    kind: 'secret',
    allowedOrigins: [],
    allowedPolicies: [],
    visitorCap: null,
    ipAllowList: [],
    expiresAt: null,
    pausedAt: null,
    revokedAt: null,
  }
}

/** Checks the role. GET requests count as reading, except those that are charged. */
export function refuseWithoutRole(request: FastifyRequest): void {
  const { member, route, method } = request
  const reads = method === 'GET' || method === 'HEAD'
  if (member === undefined || !mayUse(member.role, route.config.scope, reads)) throw new Problem('missing_role')
  if (member.suspended && !reads) throw new Problem('account_suspended')
}
