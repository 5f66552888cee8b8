import { withoutTenant } from '@probity/database/connection/connect'
import { isOutage } from '@probity/database/connection/outage'
import { listMissingMigrations } from '@probity/database/system/schema-version'
import { areResolversTrusted } from '@probity/database/validations/probing'
import type { FastifyRequest } from 'fastify'
import { isOnList } from '../http/networks.ts'
import type { Route } from '../http/route.ts'
import type { Services } from './services.ts'

const HIDDEN = { schema: { hide: true }, config: { alwaysAnswered: true } }

/** Both endpoints are public and exempt from load shedding, so a flood of requests must not cause a flood of checks. */
const CHECK_AGE_MS_MAX = 1_000

/** For supervisors and load balancers: whether the process runs (livez), and whether it can serve requests (readyz). */
export const health: Route<Services> = async (app, services) => {
  app.get('/livez', HIDDEN, async () => ({ status: 'alive' }))

  const checkDependencies = shareOutcome(() => listUnavailable(services), CHECK_AGE_MS_MAX)
  app.get('/readyz', HIDDEN, async (request, reply) => {
    // A stopping process reports unready at once.
    const stopping = services.stopping.aborted ? ['time (the process is stopping)'] : []
    const missing = [...stopping, ...(await checkDependencies())]
    const ready = missing.every((part) => part === REDIS || part === DNS)
    reply.code(ready ? 200 : 503)
    return { status: ready ? 'ready' : 'not ready', ...(isLocal(request) && { missing }) }
  })
}

/** Runs one check at a time and reuses its outcome, a failure too, until it is `ageMsMax` old. */
function shareOutcome<T>(check: () => Promise<T>, ageMsMax: number): () => Promise<T> {
  let outcome: Promise<T> | undefined
  return () => {
    outcome ??= check().finally(() => setTimeout(() => (outcome = undefined), ageMsMax).unref())
    return outcome
  }
}

/** Only local clients see versions and dependencies. A forwarded request is not local, even through a proxy on this host. */
function isLocal({ ip, headers }: FastifyRequest): boolean {
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined
  return !isForwarded && isOnList(ip, LOOPBACK)
}

const LOOPBACK = ['127.0.0.0/8', '::1']
const REDIS = 'redis (requests are served; each process counts rate limits separately)'
const DNS =
  'dns (requests are served; a resolver of the workers failed its check, so domains that it denies are unknown and not charged)'

/** The dependencies that are unavailable. Requests are served without Redis and DNS, so these do not make a process unready. */
async function listUnavailable({ db, redis }: Services): Promise<string[]> {
  const [database, cache, areTrusted] = await Promise.all([
    listMissingMigrations(db).catch(undefinedIfAway),
    redis.ping().catch(() => undefined), // any failure means that Redis is unavailable
    withoutTenant(db, areResolversTrusted).catch(() => true), // a failure is that of the database, which is named
  ])
  const missing: string[] = []
  if (database === undefined) missing.push('postgresql')
  else if (database.length > 0) missing.push(`migrations: ${database.join(', ')}`)
  if (cache === undefined) missing.push(REDIS)
  if (!areTrusted) missing.push(DNS)
  return missing
}

function undefinedIfAway(error: unknown): undefined {
  if (!isOutage(error)) throw error
}
