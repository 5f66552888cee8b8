import { Health } from '@probity/contract/schemas/operators'
import { lookAtHealth } from '../../operator/look-at-health.ts'
import type { Route } from '../../route.ts'

/** How each part of the installation is. */
export const showHealth: Route = async (app, services) => {
  app.get('/health', { schema: { response: { 200: Health } } }, async () => ({
    checked_at: new Date().toISOString(),
    parts: await lookAtHealth(services),
  }))
}
