import type { FastifyInstance } from 'fastify'
import { showWholeAuditLog } from '../accounts/installation-audit-log.ts'
import type { Route } from '../http/route.ts'
import { noteOperator } from '../middleware/authentication/actor.ts'
import { requireOperator } from '../middleware/authentication/operator.ts'
import type { Services } from '../server/services.ts'
import { manageAccounts } from './accounts.ts'
import { manageDoctor } from './doctor.ts'
import { showHealth } from './health.ts'
import { createPasswordResets } from './password-resets.ts'
import { manageEgresses, manageProviders } from './providers.ts'
import { manageQueues } from './queues.ts'
import { manageReplies } from './replies.ts'
import { manageOptOuts, manageReviews } from './reviews.ts'

const ROUTES: Route[] = [
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

/** What operators see and do. The hook guards every route that is registered here. */
export async function serveOperators(app: FastifyInstance, services: Services): Promise<void> {
  app.addHook('onRequest', requireOperator(services))
  app.addHook('preHandler', noteOperator)
  for (const route of ROUTES) await app.register(route, services)
}
