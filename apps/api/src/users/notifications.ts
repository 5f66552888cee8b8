import { NotificationChoice, NotificationSettings } from '@probity/contract/schemas/users'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { findNotificationChoice, updateNotificationChoice } from '@probity/database/users/notifications'
import type { Admission } from '@probity/redis/admission'
import type { FastifyRequest } from 'fastify'
import type { Route } from '../http/route.ts'
import { requireMember } from '../middleware/authentication/session.ts'
import { limitUser } from '../middleware/rate-limit/user-limits.ts'
import type { UserServices } from './users.ts'

type NotificationsDependencies = {
  db: Db
  admission: Admission
  people: UserServices
}

/** Email notifications of the user for the selected account. */
export const manageNotifications: Route<NotificationsDependencies> = async (app, services) => {
  const { db, people } = services
  const onRequest = requireMember(services)

  async function show(request: FastifyRequest): Promise<NotificationSettings> {
    const choice = await inTenant(db, request.auth.accountId, (trx) => findNotificationChoice(trx, memberOf(request)))
    return { ...choice, mail: people.hasMail }
  }

  app.get('/notices', { schema: { response: { 200: NotificationSettings } }, onRequest }, async (request) => {
    await limitUser(services, request, 'plain')
    return show(request)
  })
  const change = { body: NotificationChoice, response: { 200: NotificationSettings } }
  app.patch('/notices', { schema: change, onRequest }, async (request) => {
    await limitUser(services, request, 'plain')
    const { wanted } = request.body
    await inTenant(db, request.auth.accountId, (trx) => updateNotificationChoice(trx, memberOf(request), wanted))
    return show(request)
  })
}

function memberOf({ auth, person }: FastifyRequest): { accountId: string; personId: string } {
  return { accountId: auth.accountId, personId: person?.userId ?? '' }
}
