import { VerifyEmail } from '@probity/contract/people'
import { findLogin } from '@probity/database/logins'
import { readVerifiedAddress } from '../../people/address-token.ts'
import { askLibrary, passOn } from '../../people/ask-library.ts'
import { wrongPassword } from '../../people/ask-password.ts'
import { limitPerson } from '../../people/limits.ts'
import { passOnSignIn } from '../../people/pass-on-sign-in.ts'
import type { Route } from '../../route.ts'

/**
 * Verifies an address and signs in. The library verifies on GET, which mail programs that follow links would do; our page asks by POST.
 * It takes the password of the sign-up too: otherwise the owner of a mailbox could confirm a login that a stranger created for it.
 */
export const verifyEmail: Route = async (app, services) => {
  const { people } = services
  app.post('/verify-email', { schema: { body: VerifyEmail } }, async (request, reply) => {
    const { token, password } = request.body
    const email = await readVerifiedAddress(token, await people.secret())
    await limitPerson(services, request, 'password', email)
    const login = email === undefined ? undefined : await findLogin(people.users, email)
    if (login && !(await people.passwords.verify({ hash: login.passwordHash, password }))) throw wrongPassword()

    const question = { method: 'GET', path: '/verify-email', fields: { token } } as const
    const verified = await askLibrary(people, request, question)
    if (!verified.ok || login === undefined) return passOn(reply, verified)
    const fields = { email: login.email, password }
    const response = await askLibrary(people, request, { method: 'POST', path: '/sign-in/email', fields })
    return passOnSignIn(services, request, reply, { response, email })
  })
}
