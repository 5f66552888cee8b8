import { Welcome } from '@probity/contract/people'
import { PUBLIC_SANDBOX_KEY } from '@probity/contract/sandbox'
import { isSetupNeeded } from '@probity/database/people'
import type { Route } from '../../route.ts'

/** What the web application must know before anybody has signed in. */
export const welcome: Route = async (app, { db, people, publicSandbox }) => {
  // Anybody may ask, as often as they like. Once there is somebody there is always somebody.
  let isSetUp = false
  app.get('/welcome', { schema: { response: { 200: Welcome } } }, async (request) => {
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
