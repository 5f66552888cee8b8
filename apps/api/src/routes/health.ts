import { isOutage } from '@probity/database/outage'
import { listMissingMigrations } from '@probity/database/schema-version'
import type { Route } from '../route.ts'
import type { Services } from '../services.ts'

const HIDDEN = { schema: { hide: true }, config: { alwaysAnswered: true } }

/** For supervisors and load balancers: does it run (livez), and may it be sent requests (readyz)? */
export const health: Route = async (app, services) => {
  app.get('/livez', HIDDEN, async () => ({ status: 'alive' }))

  app.get('/readyz', HIDDEN, async (_request, reply) => {
    const missing = await listMissing(services)
    const ready = missing.every((part) => part === REDIS)
    reply.code(ready ? 200 : 503)
    return { status: ready ? 'ready' : 'not ready', missing }
  })
}

const REDIS = 'redis (requests are answered, limits are counted by each process for itself)'

/** All that is wanting, in words. Without Redis the door stays open, so that alone does not make a process unready. */
async function listMissing({ db, redis, stopping }: Services): Promise<string[]> {
  const [database, cache] = await Promise.all([
    listMissingMigrations(db).catch(undefinedIfAway),
    redis.ping().catch(() => undefined), // whatever the reason, it cannot be used
  ])
  const missing: string[] = []
  if (stopping.aborted) missing.push('time (the process is stopping)')
  if (database === undefined) missing.push('postgresql')
  else if (database.length > 0) missing.push(`migrations: ${database.join(', ')}`)
  if (cache === undefined) missing.push(REDIS)
  return missing
}

function undefinedIfAway(error: unknown): undefined {
  if (!isOutage(error)) throw error
}
