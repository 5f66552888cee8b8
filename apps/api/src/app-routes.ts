import type { FastifyInstance } from 'fastify'
import type { ApiConfig } from './config.ts'
import { noteActor } from './door/actor.ts'
import { honorIdempotencyKeys } from './door/idempotency.ts'
import { refuseCrossSite } from './door/same-origin.ts'
import { refuseWithoutRole, requireMember } from './door/session.ts'
import type { Route } from './route.ts'
import { showAuditLog } from './routes/audit-log.ts'
import { startCheckout } from './routes/billing/checkout.ts'
import { showCheckout } from './routes/billing/checkout-state.ts'
import { openPortal } from './routes/billing/portal.ts'
import { showBilling } from './routes/billing/show.ts'
import { serveOperators } from './routes/operator/operator.ts'
import { joinWithInvitation, shareInvitation, showInvitation } from './routes/people/invitation.ts'
import { manageNotices } from './routes/people/notices.ts'
import { createOrganisation } from './routes/people/organisations.ts'
import { changeEmail, confirmEmailChange, removeProfile } from './routes/people/profile.ts'
import { showSession } from './routes/people/session.ts'
import { endOtherSessions, endSession, listSessions } from './routes/people/sessions.ts'
import { setUp } from './routes/people/setup.ts'
import { signIn } from './routes/people/sign-in.ts'
import { verifyEmail } from './routes/people/verify-email.ts'
import { welcome } from './routes/people/welcome.ts'
import { deleteOrganisation } from './routes/settings/deletion.ts'
import { exportOrganisation } from './routes/settings/export.ts'
import { manageNetwork } from './routes/settings/network.ts'
import { serveRoutes } from './serve-routes.ts'
import type { Services } from './services.ts'

const PEOPLE_ROUTES: Route[] = [
  welcome,
  setUp,
  signIn,
  verifyEmail,
  showSession,
  createOrganisation,
  showInvitation,
  shareInvitation,
  joinWithInvitation,
  listSessions,
  endSession,
  endOtherSessions,
  changeEmail,
  confirmEmailChange,
  removeProfile,
  manageNotices,
]

/** What people do for their account and no key may: spend money, say from where it may be used, take everything along, end it, and look at who did what. */
const MEMBER_ROUTES: Route[] = [
  showBilling,
  startCheckout,
  showCheckout,
  openPortal,
  manageNetwork,
  exportOrganisation,
  deleteOrganisation,
  showAuditLog,
]

/** What the web application asks, under /app/api: sign-in and all that comes with it, and the API's own routes with a session for a key. */
export async function serveApp(
  app: FastifyInstance,
  { publicUrl }: Pick<ApiConfig, 'publicUrl'>,
  services: Services,
  apiRoutes: Route[],
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
