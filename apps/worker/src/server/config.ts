import type { AddressLimits } from '@probity/engine/smtp/connections/destination-limits'
import type { Egress } from '@probity/engine/smtp/protocol/dial'
import { type AbuseLimits, readAbuseLimits } from '@probity/settings/abuse-limits'
import { readEgresses } from '@probity/settings/egresses'
import { readList } from '@probity/settings/formats'
import { readSettings } from '@probity/settings/parse'
import { WorkerSettings } from '@probity/settings/worker-settings'
import type { MetricsPlace } from '@probity/telemetry/serve-metrics'
import type { TraceSettings } from '@probity/telemetry/span'
import { readTraceSettings } from '@probity/telemetry/trace-settings'
import { readStorage, type StorageSettings } from '@probity/uploads/storage-settings'

export type WorkerConfig = {
  databaseUrl: string
  directUrl: string
  redisUrl: string
  dnsServers: string[]
  listsFolder: string | undefined
  /** Egresses for probes; empty if mail servers are not probed. */
  egresses: Egress[]
  deniedAddresses: string[]
  /** Connections to one IP address that is not a known provider's. */
  addressLimits: AddressLimits
  /** Storage of uploaded files, the same as that of the API. */
  storage: StorageSettings
  databaseConnections: number
  concurrency: number
  listSlots: number
  webhookSlots: number
  /** Undefined if the abuse limits are off. */
  abuseLimits: AbuseLimits | undefined
  /** Whether outcomes reported by one account count for others. */
  sharesFeedback: boolean
  release: boolean
  metrics: MetricsPlace | undefined
  traces: TraceSettings | undefined
  /** Public URL of the service, for the doctor. */
  publicUrl: string | undefined
  logLevel: string
  /** Separates the queues of several installations on one Redis. */
  queuePrefix: string
}

/** Reads and validates all settings at start and reports all faults at once. The only place of the worker that knows setting names. */
export function readConfig(env: Record<string, string | undefined>): WorkerConfig {
  return readSettings(WorkerSettings, env, (vars) => ({
    databaseUrl: vars.DATABASE_URL,
    directUrl: vars.DATABASE_DIRECT_URL ?? vars.DATABASE_URL,
    redisUrl: vars.REDIS_URL,
    dnsServers: readList(vars.DNS_SERVERS),
    listsFolder: vars.LISTS_FOLDER,
    egresses: readEgresses({ heloName: vars.SMTP_HELO_NAME, mailFrom: vars.SMTP_MAIL_FROM, egress: vars.SMTP_EGRESS }),
    deniedAddresses: readList(vars.SMTP_DENY),
    addressLimits: {
      connections: vars.SMTP_ADDRESS_CONNECTIONS,
      perMinute: vars.SMTP_ADDRESS_CONNECTIONS_PER_MINUTE,
    },
    storage: readStorage(vars),
    databaseConnections: vars.DATABASE_CONNECTIONS,
    concurrency: vars.WORKER_CONCURRENCY,
    listSlots: vars.LIST_SLOTS,
    webhookSlots: vars.WEBHOOK_SLOTS,
    abuseLimits: readAbuseLimits(vars),
    sharesFeedback: vars.SHARE_FEEDBACK,
    release: vars.RELEASE,
    metrics:
      vars.WORKER_METRICS_PORT === undefined ? undefined : { host: vars.METRICS_HOST, port: vars.WORKER_METRICS_PORT },
    traces: readTraceSettings(vars),
    publicUrl: vars.PUBLIC_URL,
    logLevel: vars.LOG_LEVEL,
    queuePrefix: 'probity',
  }))
}
