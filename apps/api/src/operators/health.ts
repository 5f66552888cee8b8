import { Health } from '@probity/contract/schemas/operators'
import type { Route } from '../http/route.ts'
import { lookAtHealth } from './collect-health.ts'

/** How each part of the installation is. */
export const showHealth: Route = async (app, services) => {
  app.get('/health', { schema: { response: { 200: Health } } }, async () => ({
    checked_at: new Date().toISOString(),
    parts: await lookAtHealth(services),
  }))
}
