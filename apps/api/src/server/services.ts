import { randomUUID } from 'node:crypto'
import { isAccountFunded } from '@probity/database/billing/ledger'
import { connect, type Db, inTenant } from '@probity/database/connection/connect'
import { startNotingProcess } from '@probity/database/system/processes'
import { ADMIT_COMMAND, type Admission, countApiProcesses, createAdmission } from '@probity/redis/admission'
import { connectRedis } from '@probity/redis/connection'
import { createLocalRate, type LocalRate } from '@probity/redis/request-rate'
import type { AbuseLimits } from '@probity/settings/connection-settings'
import { NO_TRACES, type Traces } from '@probity/telemetry/span'
import { openStorage } from '@probity/uploads/open-storage'
import type { FileStorage } from '@probity/uploads/storage'
import type { FastifyBaseLogger } from 'fastify'
import type { Redis } from 'ioredis'
import { Registry } from 'prom-client'
import manifest from '../../package.json' with { type: 'json' }
import { openPayments, type Payments } from '../billing/payments.ts'
import { type FeedbackReader, openFeedbackReader } from '../feedback/reader.ts'
import { openUploadReader, type UploadReader } from '../jobs/uploads/reader.ts'
import { openUploadShares, type UploadShares } from '../jobs/uploads/share.ts'
import { type ApiKeyCache, openApiKeyCache } from '../middleware/authentication/api-key-cache.ts'
import { type KeyUseCounter, openKeyUseCounter } from '../middleware/authentication/key-use.ts'
import type { OperatorAccess } from '../middleware/authentication/operator.ts'
import { type InFlightTracker, trackInFlight } from '../middleware/load-shedding/in-flight-tracker.ts'
import { openRecentKeys, type RecentKeys } from '../middleware/rate-limit/recent-keys.ts'
import { openRequestLog, type RequestLog } from '../middleware/request-log/request-log.ts'
import { openUserServices, type UserServices } from '../users/users.ts'
import { createDispatcher, type Dispatcher } from '../validations/dispatch.ts'
import type { ApiConfig } from './config.ts'

/** Services of routes and middleware, opened once per process. */
export type Services = {
  db: Db
  redis: Redis
  /** Prefix of keys in Redis, the same for workers. */
  queuePrefix: string
  keys: ApiKeyCache
  keyUse: KeyUseCounter
  requestLog: RequestLog
  admission: Admission
  inFlight: InFlightTracker
  unauthenticatedRate: LocalRate
  /** Whether the public sandbox key is enabled. */
  publicSandbox: boolean
  /** Undefined if the abuse limits are off. */
  abuseLimits: AbuseLimits | undefined
  /** Whether outcomes that one account reports also count for other accounts. */
  sharesFeedback: boolean
  /** Cache key of an account's recent result for an address, if there is one. */
  recentKeyOf: RecentKeys['keyOf']
  dispatch: Dispatcher
  /** Storage of uploaded files. */
  storage: FileStorage
  uploadReader: UploadReader
  uploadShares: UploadShares
  /** API keys of one account that are neither revoked nor expired, at most. */
  keysMax: number
  /** Parses delivery reports in another thread. */
  feedbackReader: FeedbackReader
  /** Sign-in, sessions and accounts. */
  people: UserServices
  operators: OperatorAccess
  /** The payment provider, if it is configured. */
  payments: Payments | undefined
  /** Fires at the start of a shutdown: the process is no longer ready, and clients are asked to reconnect. */
  stopping: AbortSignal
  /** Fires a little later: waiting requests respond with the results so far. */
  hurry: AbortSignal
  /** Metrics of the process. */
  metrics: Registry
  traces: Traces
  log: FastifyBaseLogger
  close(): Promise<void>
}

export function openServices(
  config: ApiConfig,
  log: FastifyBaseLogger,
  signals: Pick<Services, 'stopping' | 'hurry'> & Partial<Pick<Services, 'traces'>>,
): Services {
  const db = connect(config.databaseUrl, { connectionsMax: config.databaseConnections, applicationName: 'probity-api' })
  const redis = connectRedis(config.redisUrl, { sentAtOnce: [ADMIT_COMMAND] })
  const keys = openApiKeyCache(db)
  const keyUse = openKeyUseCounter(db, log)
  const requestLog = openRequestLog(db, log, config.requestLogDays)
  const admission = createAdmission(redis)
  const peers = countApiProcesses(redis, admission.setProcessCount)
  const storage = openStorage(config.storage)
  const isFunded = (accountId: string) => inTenant(db, accountId, (trx) => isAccountFunded(trx, accountId))
  const uploadReader = openUploadReader({ storage, isFunded })
  const feedbackReader = openFeedbackReader()
  const recentKeys = openRecentKeys(db)
  const people = openUserServices(db, admission, config, log)
  const { redisUrl, queuePrefix } = config
  const heartbeat = startHeartbeat(db, log)
  const dispatch = createDispatcher({ db, redisUrl, queuePrefix, hurry: signals.hurry, log })
  const inFlight = trackInFlight(config.inFlightMax, dispatch.echo)
  return {
    db,
    redis,
    queuePrefix,
    keys,
    keyUse,
    requestLog,
    admission,
    inFlight,
    unauthenticatedRate: createLocalRate(),
    publicSandbox: config.publicSandbox,
    abuseLimits: config.abuseLimits,
    sharesFeedback: config.sharesFeedback,
    recentKeyOf: recentKeys.keyOf,
    dispatch,
    storage,
    uploadReader,
    uploadShares: openUploadShares(db, config.uploadLimits),
    keysMax: config.keysMax,
    feedbackReader,
    people,
    operators: config.operators,
    payments: config.payments && openPayments(config.payments),
    traces: NO_TRACES,
    ...signals,
    metrics: new Registry(),
    log,
    async close() {
      peers.stop()
      inFlight.stop()
      recentKeys.stop()
      await Promise.all([keys.stop(), keyUse.stop(), requestLog.stop(), dispatch.stop()])
      await Promise.all([uploadReader.stop(), feedbackReader.stop(), people.stop(), heartbeat.stop()])
      redis.disconnect()
      await db.destroy()
    },
  }
}

function startHeartbeat(db: Db, log: FastifyBaseLogger) {
  const note = { id: randomUUID(), kind: 'api', version: manifest.version, facts: {} } as const
  return startNotingProcess(db, note, (error) => log.debug({ err: error }, 'failed to send heartbeat'))
}
