import type { AddressLimits } from '@probity/engine/mailbox/destination'
import type { Egress } from '@probity/engine/mailbox/egress'
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
  /** The ways out that mail servers are asked from; none when they are not asked. */
  egresses: Egress[]
  deniedAddresses: string[]
  /** Connections to one IP address that is not a known provider's. */
  addressLimits: AddressLimits
  /** Where uploaded files are; the same place as the api's. */
  storage: StorageSettings
  databaseConnections: number
  concurrency: number
  listSlots: number
  webhookSlots: number
  /** Undefined where the abuse limits are off. */
  abuseLimits: AbuseLimits | undefined
  /** Whether what one account reports of its mail counts for others. */
  sharesFeedback: boolean
  release: boolean
  metrics: MetricsPlace | undefined
  traces: TraceSettings | undefined
  /** Where callers reach the service, for the doctor to come by. */
  publicUrl: string | undefined
  logLevel: string
  /** Keeps the queues of several installations on one Redis apart. */
  queuePrefix: string
}

/** Reads and checks every setting at start, naming all faults at once. The only place here that knows variable names. */
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
    sharesFeedback: vars.SHARE_FEEDBACK === 'on',
    release: vars.RELEASE,
    metrics:
      vars.WORKER_METRICS_PORT === undefined ? undefined : { host: vars.METRICS_HOST, port: vars.WORKER_METRICS_PORT },
    traces: readTraceSettings(vars),
    publicUrl: vars.PUBLIC_URL,
    logLevel: vars.LOG_LEVEL,
    queuePrefix: 'probity',
  }))
}
