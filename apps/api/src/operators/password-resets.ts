import { NewPasswordReset, PasswordReset } from '@probity/contract/schemas/operators'
import { asOperator, type Db } from '@probity/database/connection/connect'
import { createPasswordReset } from '@probity/database/users/sessions'
import type { Admission } from '@probity/redis/admission'
import { Problem } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import { askPassword } from '../middleware/authentication/confirm-password.ts'
import type { UserAuthentication } from '../middleware/authentication/session.ts'

type PasswordResetsDependencies = {
  db: Db
  admission: Admission
  people: UserAuthentication
}

/**
 * Password reset links that an operator hands over, for installations without an SMTP relay. They take the operator's own password,
 * because such a link is a way into the user's accounts. Two-factor authentication stays as it is.
 */
export const createPasswordResets: Route<PasswordResetsDependencies> = async (app, services) => {
  const schema = { body: NewPasswordReset, response: { 201: PasswordReset } }
  app.post('/password-resets', { schema }, async (request, reply) => {
    if (services.people.hasMail) throw new Problem('not_found')
    const { email, password } = request.body
    await askPassword(services, request, password)
    const reset = await asOperator(services.db, (trx) => createPasswordReset(trx, email))
    if (reset === undefined) {
      throw new Problem('invalid_request', undefined, {
        errors: [{ pointer: '/email', detail: 'No user has this email address.' }],
      })
    }
    return reply.code(201).send({ token: reset.token, expires_at: reset.expiresAt.toISOString() })
  })
}
