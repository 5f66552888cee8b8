import { VerifyEmail } from '@probity/contract/schemas/users'
import type { Db } from '@probity/database/connection/connect'
import { findCredential } from '@probity/database/users/profiles'
import type { Admission } from '@probity/redis/admission'
import type { FastifyBaseLogger } from 'fastify'
import { Problem } from '../../http/problem.ts'
import type { Route } from '../../http/route.ts'
import { wrongPassword } from '../../middleware/authentication/confirm-password.ts'
import { limitUser } from '../../middleware/rate-limit/user-limits.ts'
import { readChangeToken, readVerifiedAddress } from '../tokens.ts'
import type { UserServices } from '../users.ts'
import { callLibrary, passOn, passOnSignIn } from './forward-sign-in.ts'

type VerifyEmailDependencies = {
  db: Db
  admission: Admission
  people: UserServices
  log: FastifyBaseLogger
}

/**
 * Verifies an address and signs in. The library verifies on GET, which mail programs that follow links would trigger; our page uses POST.
 * The password of the sign-up is required too: otherwise the owner of a mailbox could confirm a profile that an attacker created for it.
 */
export const verifyEmail: Route<VerifyEmailDependencies> = async (app, services) => {
  const { people } = services
  app.post('/verify-email', { schema: { body: VerifyEmail } }, async (request, reply) => {
    const { token, password } = request.body
    const secret = await people.secret()
    const email = await readVerifiedAddress(token, secret)
    await limitUser(services, request, 'password', email)
    // A link of another kind, which the library cannot parse.
    if (await readChangeToken(token, secret)) throw new Problem('not_found')
    const credential = email === undefined ? undefined : await findCredential(people.users, email)
    if (credential && !(await people.passwords.verify({ hash: credential.passwordHash, password })))
      throw wrongPassword()

    const question = { method: 'GET', path: '/verify-email', fields: { token } } as const
    const verified = await callLibrary(people, request, question)
    if (!verified.ok || credential === undefined) return passOn(reply, verified)
    const fields = { email: credential.email, password }
    const response = await callLibrary(people, request, { method: 'POST', path: '/sign-in/email', fields })
    return passOnSignIn(services, request, reply, { response, email })
  })
}
