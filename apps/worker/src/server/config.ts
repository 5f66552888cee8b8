import type { MailSettings } from '@probity/email/send'
import type { AddressLimits } from '@probity/engine/smtp/connections/destination-limits'
import type { Egress } from '@probity/engine/smtp/protocol/dial'
import { type AbuseLimits, readAbuseLimits } from '@probity/settings/connection-settings'
import { readEgresses } from '@probity/settings/egresses'
import { readList } from '@probity/settings/formats'
import { readMail } from '@probity/settings/mail'
import { mergeSettings, readOwnSettings } from '@probity/settings/parse'
import {
  DEFAULT_TASKS,
  settingsOfTasks,
  WORKER_TASKS,
  type WorkerSettings,
  type WorkerTask,
} from '@probity/settings/worker-settings'
import type { MetricsAddress } from '@probity/telemetry/metrics'
import type { TraceSettings } from '@probity/telemetry/span'
import { readTraceSettings } from '@probity/telemetry/traces'
import { readStorage, type StorageSettings } from '@probity/uploads/storage'
import type { Static } from 'typebox'

export type WorkerConfig = {
  databaseUrl: string
  directUrl: string
  /** For maintenance and notifications. */
  maintenanceUrl: string
  tasks: WorkerTask[]
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
  metrics: MetricsAddress | undefined
  traces: TraceSettings | undefined
  /** Public URL of the service, for the doctor and for links in emails. */
  publicUrl: string | undefined
  /** Undefined without an SMTP relay: then no notifications are sent. */
  mail: MailSettings | undefined
  logLevel: string
  /** Separates the queues of several installations on one Redis. */
  queuePrefix: string
}

/** Reads and validates all settings at start and reports all faults at once. The only place of the worker that knows setting names. */
export function readConfig(env: Record<string, string | undefined>): WorkerConfig {
  return readOwnSettings(settingsOfTasks(listTasks(env)), env, buildConfig)
}

/** The tasks of the process; all of them if the setting is not valid, which is reported when all settings are read. */
function listTasks(env: Record<string, string | undefined>): readonly WorkerTask[] {
  const { WORKER_TASKS: text = DEFAULT_TASKS } = mergeSettings(env, []).values
  const tasks = readTasks(text)
  return tasks.length === 0 ? WORKER_TASKS : tasks
}

function readTasks(text: string): WorkerTask[] {
  return WORKER_TASKS.filter((task) => readList(text).includes(task))
}

function buildConfig(vars: Static<typeof WorkerSettings>): WorkerConfig {
  const tasks = readTasks(vars.WORKER_TASKS)
  const metricsPort = hasUntrustedInput(tasks) ? vars.WORKER_METRICS_PORT : vars.MAINTENANCE_METRICS_PORT
  return {
    databaseUrl: vars.DATABASE_URL,
    directUrl: vars.DATABASE_DIRECT_URL ?? vars.DATABASE_URL,
    maintenanceUrl: vars.DATABASE_MAINTENANCE_URL ?? vars.DATABASE_URL,
    tasks,
    redisUrl: vars.REDIS_URL,
    dnsServers: readList(vars.DNS_SERVERS),
    listsFolder: vars.LISTS_FOLDER,
    egresses: hasUntrustedInput(tasks)
      ? readEgresses({ heloName: vars.SMTP_HELO_NAME, mailFrom: vars.SMTP_MAIL_FROM, egress: vars.SMTP_EGRESS })
      : [],
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
    metrics: metricsPort === undefined ? undefined : { host: vars.METRICS_HOST, port: metricsPort },
    traces: readTraceSettings(vars),
    publicUrl: vars.PUBLIC_URL,
    mail: readMail(vars),
    logLevel: vars.LOG_LEVEL,
    queuePrefix: 'probity',
  }
}

/** Whether one of the tasks parses SMTP replies, DNS responses or CSV files. The others run without the modules that do. */
export function hasUntrustedInput(tasks: readonly WorkerTask[]): boolean {
  return tasks.some((task) => task !== 'maintenance' && task !== 'notifications')
}
