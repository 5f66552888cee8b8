import { PUBLIC_SANDBOX_KEY } from '@probity/contract/constants/sandbox'
import { InstallationInfo, Setup } from '@probity/contract/schemas/users'
import type { Db } from '@probity/database/connection/connect'
import { claimSetup, isSetupNeeded, isSetupToken } from '@probity/database/users/users'
import type { Admission } from '@probity/redis/admission'
import type { FastifyBaseLogger } from 'fastify'
import { Problem } from '../../http/problem.ts'
import type { Route } from '../../http/route.ts'
import { limitUser } from '../../middleware/rate-limit/user-limits.ts'
import type { UserServices } from '../users.ts'
import { callLibrary, passOnSignIn } from './forward-sign-in.ts'
import { refuseWeakPassword } from './passwords.ts'

type SetupDependencies = {
  db: Db
  admission: Admission
  people: UserServices
  log: FastifyBaseLogger
}

/** Creates the first user with the token of the setup link. Works once, within an hour. */
export const setUp: Route<SetupDependencies> = async (app, services) => {
  const { db, people } = services
  app.post('/setup', { schema: { body: Setup } }, async (request, reply) => {
    const { token, password, ...person } = request.body
    await limitUser(services, request, 'password')
    if (!(await isSetupToken(db, token))) throw new Problem('not_found')
    await refuseWeakPassword(password)
    const first = { ...person, passwordHash: await people.passwords.hash(password) }
    if (!(await claimSetup(db, token, first))) throw new Problem('not_found')

    const email = person.email.toLowerCase()
    const fields = { email, password }
    // The password that was just hashed is verified, which others that wait must not prevent.
    const signIn = () => callLibrary(people, request, { method: 'POST', path: '/sign-in/email', fields })
    const response = await people.passwords.forKnownClient(signIn)
    return passOnSignIn(services, request, reply, { response, status: 201, email })
  })
}

type WelcomeDependencies = {
  db: Db
  publicSandbox: boolean
  people: UserServices
}

/** Data that the web application needs before sign-in. */
export const welcome: Route<WelcomeDependencies> = async (app, { db, people, publicSandbox }) => {
  // Public and without a rate limit, so the positive result is cached: once a user exists, setup is never needed again.
  let isSetUp = false
  app.get('/welcome', { schema: { response: { 200: InstallationInfo } } }, async (request) => {
    isSetUp ||= !(await isSetupNeeded(db))
    return {
      sign_up: people.signUp,
      setup_needed: !isSetUp,
      public_url: people.publicUrl ?? `${request.protocol}://${request.host}`,
      sandbox_key: publicSandbox ? PUBLIC_SANDBOX_KEY : null,
      mail: people.hasMail,
    }
  })
}
