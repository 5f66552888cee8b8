import type { Db } from '@probity/database/connection/connect'
import { recordUserEvent } from '@probity/database/users/profiles'
import {
  beginCodeAttempt,
  forgetCodeAttempt,
  forgetCodes,
  renewCode,
  startWithCode,
} from '@probity/database/users/second-factor'
import { deleteCurrentSession } from '@probity/database/users/sessions'
import type { User } from '@probity/database/users/users'
import type { Admission } from '@probity/redis/admission'
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { invalidField, Problem } from '../../http/problem.ts'
import { confirmPassword } from '../../middleware/authentication/confirm-password.ts'
import {
  cookieNames,
  findOwnSession,
  type OwnSession,
  readCookie,
  readSignedToken,
  requireSession,
} from '../../middleware/authentication/session.ts'
import { type SecondFactorEvent, secondFactorEmail } from '../email/emails.ts'
import type { UserServices } from '../users.ts'
import { callLibrary, type LibraryRequest } from './forward-sign-in.ts'
import { hashRecoveryCode } from './recovery-codes.ts'

type SecondFactorDependencies = {
  db: Db
  admission: Admission
  people: UserServices
  log: FastifyBaseLogger
}

const TOTP_PATH = '/two-factor/verify-totp'
export const RECOVERY_PATH = '/two-factor/verify-backup-code'

/** Wrong codes of a user within 15 minutes, over all signed-in sessions. The next one ends its session. */
const WRONG_CODES_MAX = 5

/**
 * Passes on a code that was entered at sign-in or in a session. Attempts at sign-in are limited by the library, those in a session here.
 */
export async function enterCode(
  services: SecondFactorDependencies,
  request: FastifyRequest,
  question: LibraryRequest,
): Promise<Response> {
  const { people } = services
  const session = await findOwnSession(services, request)
  if (session === undefined) {
    const response = await callLibrary(people, request, question)
    const token = response.ok ? await readStartedSession(people, response) : undefined
    if (token !== undefined) await startWithCode(people.users, token)
    return response
  }
  const response = await compareCode(services, request, session, question)
  if (response.ok) await renewCode(people.users, session.token)
  if (response.ok && question.path === TOTP_PATH && !session.person.twoFactor)
    notify(people, session.person, 'second_factor_on')
  return response
}

/** The token of the session that a response starts. */
async function readStartedSession(people: UserServices, response: Response): Promise<string | undefined> {
  const { session } = cookieNames(people.publicUrl)
  const secret = await people.secret()
  const started = response.headers.getSetCookie().flatMap((cookie) => readCookie(cookie, session) ?? [])
  return started.map((cookie) => readSignedToken(cookie, secret)).find((token) => token !== undefined)
}

/** Requires the password and a code of the current second factor, then disables it or replaces its recovery codes. */
export async function changeSecondFactor(
  services: SecondFactorDependencies,
  request: FastifyRequest,
  question: LibraryRequest,
): Promise<Response> {
  const { people, db } = services
  const session = await requireSession(services, request)
  const { person } = session
  if (!person.twoFactor) throw new Problem('invalid_request', NOT_ENABLED)
  const { code, password } = question.fields
  if (typeof code !== 'string' || code.trim() === '') throw invalidField('/code', 'must be a 2FA code')
  // The password first: a code works once, and a mistyped password should not use it up.
  await confirmPassword(services, request, String(password))
  const confirmed = await compareCode(services, request, session, codeQuestion(code))
  if (!confirmed.ok) throw invalidField('/code', WRONG_CODE)

  await forgetCodes(people.users, person.userId)
  const response = await callLibrary(people, request, { ...question, fields: { password } })
  if (!response.ok) return response
  const event = question.path === DISABLE_PATH ? 'second_factor_off' : 'recovery_codes_created'
  // A trigger records that 2FA was disabled.
  if (event === 'recovery_codes_created') await recordUserEvent(db, { id: person.userId }, event)
  notify(people, person, event)
  return response
}

/** Six digits are a code of the authenticator app, anything else is a recovery code. */
function codeQuestion(code: string): LibraryRequest {
  const plain = code.replace(/\s/g, '')
  return /^\d{6}$/.test(plain)
    ? { method: 'POST', path: TOTP_PATH, fields: { code: plain } }
    : { method: 'POST', path: RECOVERY_PATH, fields: { code: hashRecoveryCode(code) } }
}

const DISABLE_PATH = '/two-factor/disable'
const NOT_ENABLED = 'Two-factor authentication is not enabled.'
const WRONG_CODE = 'The code is invalid or was already used.'

/** Has the library compare the code of a signed-in user, and counts it if it is wrong. */
async function compareCode(
  services: SecondFactorDependencies,
  request: FastifyRequest,
  session: OwnSession,
  question: LibraryRequest,
): Promise<Response> {
  const { users } = services.people
  const { userId } = session.person
  const attempt = await beginCodeAttempt(users, userId)
  if (attempt && attempt.count > WRONG_CODES_MAX + 1) throw await endGuessing(services, session)
  const response = await callLibrary(services.people, request, question)
  if (attempt === undefined) return response
  if (response.status !== 401) {
    await forgetCodeAttempt(users, userId, attempt)
    return response
  }
  await recordUserEvent(services.db, { id: userId }, 'wrong_code')
  if (attempt.count > WRONG_CODES_MAX) throw await endGuessing(services, session)
  return response
}

async function endGuessing({ people }: SecondFactorDependencies, { person, token }: OwnSession): Promise<Problem> {
  // Of concurrent codes of one session, the first one ends it.
  if (await deleteCurrentSession(people.users, person.userId, token)) notify(people, person, 'wrong_codes')
  return new Problem('unauthenticated', TOO_MANY_CODES)
}

const TOO_MANY_CODES = 'Too many wrong codes were entered, so the session has ended.'

/** Not awaited: the change does not wait for the SMTP relay. */
function notify({ mail, hasMail, appUrl }: UserServices, person: User, event: SecondFactorEvent): void {
  if (hasMail) void mail.send(secondFactorEmail(person, event, `${appUrl}/settings/security`))
}
