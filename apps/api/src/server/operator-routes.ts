import type { FastifyInstance } from 'fastify'
import { showWholeAuditLog } from '../accounts/audit-log.ts'
import type { Route } from '../http/route.ts'
import { noteOperator } from '../middleware/authentication/auth.ts'
import { requireOperator } from '../middleware/authentication/operator.ts'
import { createPasswordResets, manageAccounts } from '../operators/accounts.ts'
import { manageDoctor } from '../operators/doctor.ts'
import { showHealth } from '../operators/health.ts'
import { manageEgresses, manageProviders } from '../operators/providers.ts'
import { manageQueues } from '../operators/queues.ts'
import { manageReplies } from '../operators/replies.ts'
import { manageOptOuts, manageReviews } from '../operators/reviews.ts'
import type { Services } from './services.ts'

const ROUTES: Route<Services>[] = [
  showHealth,
  manageDoctor,
  manageProviders,
  manageEgresses,
  manageQueues,
  manageReviews,
  manageOptOuts,
  manageAccounts,
  createPasswordResets,
  manageReplies,
  showWholeAuditLog,
]

/** Routes of operators. The hook authorizes every route that is registered here. */
export async function serveOperators(app: FastifyInstance, services: Services): Promise<void> {
  app.addHook('onRequest', requireOperator(services))
  app.addHook('preHandler', noteOperator)
  for (const route of ROUTES) await app.register(route, services)
}
