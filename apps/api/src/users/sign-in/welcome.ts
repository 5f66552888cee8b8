import { PUBLIC_SANDBOX_KEY } from '@probity/contract/constants/sandbox'
import { InstallationInfo } from '@probity/contract/schemas/users'
import type { Db } from '@probity/database/connection/connect'
import { isSetupNeeded } from '@probity/database/users/users'
import type { Route } from '../../http/route.ts'
import type { People } from '../users.ts'

type WelcomeDependencies = {
  db: Db
  publicSandbox: boolean
  people: People
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
