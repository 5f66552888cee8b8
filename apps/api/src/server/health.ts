import { setTimeout as sleep } from 'node:timers/promises'
import { type Trx, withoutTenant } from '@probity/database/connection/connect'
import { isOutage, isReadOnly } from '@probity/database/connection/outage'
import { listMissingMigrations } from '@probity/database/system/schema-version'
import { isWritable } from '@probity/database/system/server-settings'
import { areResolversTrusted } from '@probity/database/validations/probing'
import type { FastifyRequest } from 'fastify'
import { isOnList } from '../http/networks.ts'
import type { Route } from '../http/route.ts'
import type { Services } from './services.ts'

const HIDDEN = { schema: { hide: true }, config: { alwaysAnswered: true } }

/** Both endpoints are public and exempt from load shedding, so a flood of requests must not cause a flood of checks. */
const CHECK_AGE_MS_MAX = 1_000
/** Time for a check to end. A query to a server that has gone silent takes much longer. */
const CHECK_WITHIN_MS = 1_000

/** For supervisors and load balancers: whether the process runs (livez), and whether it can serve requests (readyz). */
export const health: Route<Services> = async (app, services) => {
  app.get('/livez', HIDDEN, async () => ({ status: 'alive' }))

  const checkDependencies = shareOutcome(() => listUnavailable(services), CHECK_AGE_MS_MAX)
  app.get('/readyz', HIDDEN, async (request, reply) => {
    // A stopping process reports unready at once.
    const stopping = services.stopping.aborted ? ['time (the process is stopping)'] : []
    const tooLate = sleep(CHECK_WITHIN_MS, [POSTGRESQL], { ref: false }) // Redis has a shorter limit of its own
    const missing = [...stopping, ...(await Promise.race([checkDependencies(), tooLate]))]
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
const POSTGRESQL = 'postgresql'
const POSTGRESQL_READ_ONLY = 'postgresql (the server is read-only)'
const REDIS = 'redis (requests are served; each process counts rate limits separately)'
const DNS =
  'dns (requests are served; a resolver of the workers failed its check, so domains that it denies are unknown and not charged)'

/** The dependencies that are unavailable. Requests are served without Redis and DNS, so these do not make a process unready. */
async function listUnavailable({ db, redis }: Services): Promise<string[]> {
  const [schemaFaults, cache, state] = await Promise.all([
    listMissingMigrations(db).then(nameMigrations, nameOutage),
    redis.ping().catch(() => undefined), // any failure means that Redis is unavailable
    withoutTenant(db, readState).catch(() => undefined), // a failure is that of the database, which is named
  ])
  const missing = [...schemaFaults]
  if (state?.isWritable === false) missing.push(POSTGRESQL_READ_ONLY)
  if (cache === undefined) missing.push(REDIS)
  if (state?.areTrusted === false) missing.push(DNS)
  return missing
}

async function readState(trx: Trx) {
  return { isWritable: await isWritable(trx), areTrusted: await areResolversTrusted(trx) }
}

function nameMigrations(names: string[]): string[] {
  return names.length > 0 ? [`migrations: ${names.join(', ')}`] : []
}

function nameOutage(error: unknown): string[] {
  if (isReadOnly(error)) return [POSTGRESQL_READ_ONLY]
  if (isOutage(error)) return [POSTGRESQL]
  throw error
}
