import type { Db } from '@probity/database/connection/connect'
import { recordUserEvent } from '@probity/database/users/profiles'
import { digestAddress } from '@probity/email/limits'
import type { Admission } from '@probity/redis/admission'
import type { RatePolicy } from '@probity/redis/request-rate'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { readSessionToken } from '../../middleware/authentication/session.ts'
import { writeDeviceCookie } from '../../middleware/rate-limit/user-limits.ts'
import type { UserServices } from '../users.ts'
import { ADDRESS_HEADER, AUTH_PATH } from './data/library.ts'

export type LibraryRequest = { method: 'GET' | 'POST'; path: string; fields: Record<string, unknown> }

/** Calls the sign-in library on behalf of a request, with its cookies and the validated fields. */
export async function callLibrary(
  people: UserServices,
  request: FastifyRequest,
  question: LibraryRequest,
): Promise<Response> {
  const { method, path, fields } = question
  const url = new URL(`http://probity.invalid${AUTH_PATH}${path}`)
  const headers = new Headers({ [ADDRESS_HEADER]: request.ip })
  for (const name of ['cookie', 'user-agent'] as const) {
    const value = request.headers[name]
    if (value !== undefined) headers.set(name, value.slice(0, HEADER_LENGTH_MAX))
  }
  const auth = await people.auth()
  if (method === 'GET') {
    for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, String(value))
    return auth.handler(new Request(url, { headers }))
  }
  headers.set('content-type', 'application/json')
  return auth.handler(new Request(url, { method, headers, body: JSON.stringify(fields) }))
}

/** Cookies of other sites on the same host may be long; the user agent is stored with the session. */
const HEADER_LENGTH_MAX = 8_000

/** Returns the library's response, including cookies. */
export async function passOn(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  passOnCookies(reply, response)
  reply.code(response.status).header('content-type', 'application/json; charset=utf-8')
  const text = await response.text()
  return reply.send(text === '' ? '{}' : text)
}

export function passOnCookies(reply: FastifyReply, response: Response): void {
  for (const cookie of response.headers.getSetCookie()) reply.header('set-cookie', cookie)
}

type ForwardSignInDependencies = {
  db: Db
  admission: Admission
  people: UserServices
  log: FastifyBaseLogger
}

/** Failed sign-ins of one user that are recorded. Otherwise an attacker could fill the audit log. */
export const RECORDED: RatePolicy = { name: 'recorded', quota: 20, windowS: 3_600, shareMin: 20 }

/**
 * Passes on the sign-in library's response to a sign-in, and records the outcome in the audit log. A browser that signed in gets a device
 * cookie. `email` is the address that was entered with a password; the response to a code names the user itself.
 */
export async function passOnSignIn(
  services: ForwardSignInDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  { response, status = response.status, email }: { response: Response; status?: number; email?: string | undefined },
): Promise<FastifyReply> {
  passOnCookies(reply, response)
  const text = await response.text()
  const user = response.ok ? readUser(text) : undefined
  const isSignedInAlready = email === undefined && (await readSessionToken(services, request)) !== undefined
  if (user && !isSignedInAlready) {
    await recordUserEvent(services.db, { id: user.id }, 'signed_in')
    const { people } = services
    const cookies = { publicUrl: people.publicUrl, secret: await people.secret() }
    reply.header('set-cookie', writeDeviceCookie(cookies, user.email))
  }
  if (response.status === 401 && email !== undefined) recordFailure(services, email)
  return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(text)
}

/** The signed-in user; undefined if a 2FA code is still required. */
function readUser(text: string): { id: string; email: string } | undefined {
  const { user, twoFactorRedirect } = JSON.parse(text) as {
    user?: { id: string; email: string }
    twoFactorRedirect?: boolean
  }
  return twoFactorRedirect ? undefined : user
}

export const recordedKey = (email: string) => `people:recorded:${digestAddress(email)}`

/** Not awaited: the response time must not reveal whether a user has the address. */
function recordFailure({ db, admission, log }: ForwardSignInDependencies, email: string): void {
  const record = async () => {
    const { rate } = await admission.admit(recordedKey(email), RECORDED)
    if (rate.allowed) await recordUserEvent(db, { email: email.trim() }, 'sign_in_failed')
  }
  record().catch((error: unknown) => log.warn({ err: error }, 'failed to record a failed sign-in in the audit log'))
}
