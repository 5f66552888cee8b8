import type { FastifyInstance } from 'fastify'
import { showAuditLog } from '../accounts/audit-log.ts'
import { deleteAccountRoutes, exportAccountRoutes, manageNetwork } from '../accounts/settings/settings.ts'
import { openPortal, showCheckout, startCheckout } from '../billing/checkout.ts'
import { showBilling } from '../billing/show.ts'
import type { Route } from '../http/route.ts'
import { showReport } from '../jobs/report-links.ts'
import { noteActor } from '../middleware/authentication/auth.ts'
import { refuseCrossSite } from '../middleware/authentication/origins.ts'
import { refuseWithoutRole, requireMember } from '../middleware/authentication/session.ts'
import { honorIdempotencyKeys } from '../middleware/idempotency/idempotency.ts'
import { serveRoutes } from '../middleware/serve-routes.ts'
import { createAccountRoute } from '../users/accounts.ts'
import { joinWithInvitation, shareInvitation, showInvitation } from '../users/invitation.ts'
import { manageNotifications } from '../users/notifications.ts'
import { changeEmail, confirmEmailChange, removeProfile } from '../users/profile.ts'
import { endOtherSessions, endSession, listSessions, showSession } from '../users/sign-in/sessions.ts'
import { setUp, welcome } from '../users/sign-in/setup.ts'
import { signIn } from '../users/sign-in/sign-in.ts'
import { verifyEmail } from '../users/sign-in/verify-email.ts'
import type { ApiConfig } from './config.ts'
import { serveOperators } from './operator-routes.ts'
import type { Services } from './services.ts'

const PEOPLE_ROUTES: Route<Services>[] = [
  welcome,
  setUp,
  signIn,
  verifyEmail,
  showSession,
  createAccountRoute,
  showInvitation,
  shareInvitation,
  joinWithInvitation,
  listSessions,
  endSession,
  endOtherSessions,
  changeEmail,
  confirmEmailChange,
  removeProfile,
  manageNotifications,
  showReport,
]

/** Account routes for members only, not for keys: billing, IP allowlist, export, deletion and the audit log. */
const MEMBER_ROUTES: Route<Services>[] = [
  showBilling,
  startCheckout,
  showCheckout,
  openPortal,
  manageNetwork,
  exportAccountRoutes,
  deleteAccountRoutes,
  showAuditLog,
]

/** Routes of the web application under /app/api: sign-in, and the API's own routes with session authentication. */
export async function serveApp(
  app: FastifyInstance,
  { publicUrl }: Pick<ApiConfig, 'publicUrl'>,
  services: Services,
  apiRoutes: Route<Services>[],
): Promise<void> {
  app.decorateRequest('person')
  app.decorateRequest('member')
  app.addHook('onRequest', refuseCrossSite(publicUrl))
  app.addHook('onSend', async (_request, reply) => {
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
  })
  app.addHook('preHandler', noteActor)
  await app.register((own) => serveOperators(own, services), { prefix: '/operator' })
  for (const route of PEOPLE_ROUTES) await app.register(route, services)
  const door = { recognise: requireMember(services), refuse: refuseWithoutRole }
  await app.register(async (api) => {
    honorIdempotencyKeys(api, services)
    await serveRoutes(api, services, door, [...apiRoutes, ...MEMBER_ROUTES])
  })
}
