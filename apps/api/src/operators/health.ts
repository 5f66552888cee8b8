import { Health } from '@probity/contract/schemas/operators'
import type { Db } from '@probity/database/connection/connect'
import type { FileStorage } from '@probity/uploads/storage'
import type { Redis } from 'ioredis'
import type { Route } from '../http/route.ts'
import type { UserAuthentication } from '../middleware/authentication/session.ts'
import { lookAtHealth } from './collect-health.ts'

type HealthDependencies = {
  db: Db
  redis: Redis
  queuePrefix: string
  storage: FileStorage
  people: UserAuthentication
}

/** How each part of the installation is. */
export const showHealth: Route<HealthDependencies> = async (app, services) => {
  app.get('/health', { schema: { response: { 200: Health } } }, async () => ({
    checked_at: new Date().toISOString(),
    parts: await lookAtHealth(services),
  }))
}
