import { Setup } from '@probity/contract/people'
import { claimSetup, isSetupToken } from '@probity/database/people'
import { askLibrary, passOn } from '../../people/ask-library.ts'
import { limitPerson } from '../../people/limits.ts'
import { refuseWeakPassword } from '../../people/passwords.ts'
import { Problem } from '../../problem.ts'
import type { Route } from '../../route.ts'

/** The first person, who comes with the token that the operator was shown. Works once. */
export const setUp: Route = async (app, services) => {
  const { db, people } = services
  app.post('/setup', { schema: { body: Setup } }, async (request, reply) => {
    const { token, password, ...person } = request.body
    await limitPerson(services, request, 'password')
    if (!(await isSetupToken(db, token))) throw new Problem('not_found')
    refuseWeakPassword(password)
    const first = { ...person, passwordHash: await people.passwords.hash(password) }
    if (!(await claimSetup(db, token, first))) throw new Problem('not_found')

    const fields = { email: person.email.toLowerCase(), password }
    const signedIn = await askLibrary(people, request, { method: 'POST', path: '/sign-in/email', fields })
    return passOn(reply, new Response(signedIn.body, { status: 201, headers: signedIn.headers }))
  })
}
