import { VerifyEmail } from '@probity/contract/people'
import { askLibrary, passOn } from '../../people/ask-library.ts'
import { limitPerson } from '../../people/limits.ts'
import type { Route } from '../../route.ts'

/** The library verifies on GET, which a mail reader that looks at links would do unasked. Our page asks for it by POST. */
export const verifyEmail: Route = async (app, services) => {
  app.post('/verify-email', { schema: { body: VerifyEmail } }, async (request, reply) => {
    await limitPerson(services, request, 'code')
    const question = { method: 'GET', path: '/verify-email', fields: { token: request.body.token } } as const
    return passOn(reply, await askLibrary(services.people, request, question))
  })
}
