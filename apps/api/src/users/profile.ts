import { ConfirmEmailChange, DeleteProfile, EmailChange } from '@probity/contract/schemas/users'
import type { Db } from '@probity/database/connection/connect'
import { changeAddress, deleteProfile, findCredential } from '@probity/database/users/profiles'
import type { User } from '@probity/database/users/users'
import type { Admission } from '@probity/redis/admission'
import type { FastifyBaseLogger } from 'fastify'
import { invalidField, Problem } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import { confirmPassword, wrongPassword } from '../middleware/authentication/confirm-password.ts'
import { clearCookie, cookieNames, requireUser } from '../middleware/authentication/session.ts'
import { limitUser } from '../middleware/rate-limit/user-limits.ts'
import { emailChangedEmail, emailChangeEmail } from './email/emails.ts'
import { isLastOwner } from './sign-in/sign-in.ts'
import { readChangeToken, writeChangeToken } from './tokens.ts'
import type { UserServices } from './users.ts'

type ProfileDependencies = {
  db: Db
  admission: Admission
  people: UserServices
  log: FastifyBaseLogger
}

/** Sends a link to the new address of a user. The response does not reveal whether another user has it. */
export const changeEmail: Route<ProfileDependencies> = async (app, services) => {
  const { people } = services
  app.post('/email', { schema: { body: EmailChange }, onRequest: requireUser(services) }, async (request, reply) => {
    const { userId, email: from, name } = request.person as User
    await limitUser(services, request, 'letter', request.body.email)
    await confirmPassword(services, request, request.body.password)
    const to = request.body.email.toLowerCase()
    if (to === from) throw invalidField('/email', 'This is already your email address.')
    const isFree = (await findCredential(people.users, to)) === undefined
    if (isFree) {
      const token = await writeChangeToken({ userId, from, to }, await people.secret())
      // Not awaited: the response time of the SMTP relay must not reveal whether the address is free.
      void people.mail.send(emailChangeEmail({ email: to, name }, `${people.appUrl}/confirm-email#token=${token}`))
    }
    return reply.code(202).send({})
  })
}

/** Replaces the email address of a user who has the link and the password, and notifies the old address. */
export const confirmEmailChange: Route<ProfileDependencies> = async (app, services) => {
  const { people } = services
  app.post('/email/confirm', { schema: { body: ConfirmEmailChange } }, async (request, reply) => {
    const { token, password } = request.body
    const change = await readChangeToken(token, await people.secret())
    await limitUser(services, request, 'password', change?.from)
    if (change === undefined) throw new Problem('not_found', OLD_LINK)
    const credential = await findCredential(people.users, change.from)
    if (credential?.userId !== change.userId) throw new Problem('not_found', OLD_LINK)
    if (!(await people.passwords.verify({ hash: credential.passwordHash, password }))) throw wrongPassword()
    if (!(await changeAddress(people.users, change))) throw new Problem('not_found', OLD_LINK)
    const letter = emailChangedEmail({ email: change.from, name: credential.name }, `${people.appUrl}/sign-in`)
    if (people.hasMail) void people.mail.send(letter)
    return reply.code(204).send()
  })
}

/** Deletes the profile of a user. Accounts stay, and each keeps an owner. */
export const removeProfile: Route<ProfileDependencies> = async (app, services) => {
  const { people } = services
  const options = { schema: { body: DeleteProfile }, onRequest: requireUser(services) }
  app.post('/profile/deletion', options, async (request, reply) => {
    const { userId, email } = request.person as User
    await confirmPassword(services, request, request.body.password)
    if (request.body.email.trim().toLowerCase() !== email)
      throw invalidField('/email', 'This is not your email address.')
    const isDeleted = await deleteProfile(people.users, userId).catch((error: unknown) => {
      throw isLastOwner(error) ? new Problem('last_owner') : error
    })
    if (!isDeleted) throw new Problem('invalid_request', OPERATOR_PROFILE)
    services.log.info({ personId: userId }, 'profile deleted')
    const { session, device } = cookieNames(people.publicUrl)
    for (const name of [session, device]) reply.header('set-cookie', clearCookie(people.publicUrl, name))
    return reply.code(204).send()
  })
}

const OLD_LINK = 'The link was already used or has expired.'
const OPERATOR_PROFILE = 'Your profile has the operator right. Another operator must remove that right first.'
