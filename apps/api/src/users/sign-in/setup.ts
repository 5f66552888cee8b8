import { Setup } from '@probity/contract/schemas/users'
import type { Db } from '@probity/database/connection/connect'
import { claimSetup, isSetupToken } from '@probity/database/users/users'
import type { Admission } from '@probity/redis/admission'
import type { FastifyBaseLogger } from 'fastify'
import { Problem } from '../../http/problem.ts'
import type { Route } from '../../http/route.ts'
import { limitPerson } from '../../middleware/rate-limit/user-limits.ts'
import type { People } from '../users.ts'
import { askLibrary } from './call-auth.ts'
import { passOnSignIn } from './forward-sign-in.ts'
import { refuseWeakPassword } from './passwords.ts'

type SetupDependencies = {
  db: Db
  admission: Admission
  people: People
  log: FastifyBaseLogger
}

/** Creates the first user with the token of the setup link. Works once, within an hour. */
export const setUp: Route<SetupDependencies> = async (app, services) => {
  const { db, people } = services
  app.post('/setup', { schema: { body: Setup } }, async (request, reply) => {
    const { token, password, ...person } = request.body
    await limitPerson(services, request, 'password')
    if (!(await isSetupToken(db, token))) throw new Problem('not_found')
    await refuseWeakPassword(password)
    const first = { ...person, passwordHash: await people.passwords.hash(password) }
    if (!(await claimSetup(db, token, first))) throw new Problem('not_found')

    const email = person.email.toLowerCase()
    const fields = { email, password }
    const response = await askLibrary(people, request, { method: 'POST', path: '/sign-in/email', fields })
    return passOnSignIn(services, request, reply, { response, status: 201, email })
  })
}
