import Type, { type TObject } from 'typebox'
import {
  ABUSE_SETTINGS,
  DATABASE_CONNECTIONS,
  DATABASE_URL,
  LOG_LEVEL,
  MAIL_SETTINGS,
  METRICS_HOST,
  PUBLIC_URL,
  REDIS_URL,
  SHARE_FEEDBACK,
  SIGN_UP,
  TRACE_SETTINGS,
  UPLOADS_SETTINGS,
} from './connection-settings.ts'
import { URL_FORMATS } from './formats.ts'

const HOST_NAME = '^(?=.{4,253}$)([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z]{2,63}$'
const MAIL_ADDRESS = '^[A-Za-z0-9._+-]{1,64}@[A-Za-z0-9.-]{4,190}$'

/** Identity and source of SMTP probes: for the worker, and for the doctor. */
export const ABOUT_MAIL_SERVERS = {
  SMTP_HELO_NAME: Type.Optional(
    Type.String({
      pattern: HOST_NAME,
      description:
        'Fully qualified HELO name. The PTR record of the egress IP must be this name. Without it, mail servers are not probed.',
    }),
  ),
  SMTP_MAIL_FROM: Type.Optional(
    Type.String({
      pattern: MAIL_ADDRESS,
      description:
        'MAIL FROM address of probes: an address of yours that accepts mail. Required with PROBITY_SMTP_HELO_NAME.',
    }),
  ),
  SMTP_EGRESS: Type.String({
    default: '',
    secret: true,
    otherwise: 'one egress with PROBITY_SMTP_HELO_NAME',
    description:
      'Egress sources, comma-separated: host-name=address or host-name=socks5://user:password@host:port. The host name is the HELO name.',
  }),
  SMTP_DENY: Type.String({
    default: '',
    description:
      'IP addresses or CIDR ranges that are never connected to, for probes or webhooks. Always denied: addresses that are not public, those of network interfaces and egresses, and those that the HELO names resolve to.',
  }),
}

const ABOUT_ADDRESSES = {
  SMTP_ADDRESS_CONNECTIONS: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    default: 4,
    description:
      'Maximum concurrent connections to one IP address, of all workers and egresses together. For addresses of known providers, the provider limits apply instead.',
  }),
  SMTP_ADDRESS_CONNECTIONS_PER_MINUTE: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 60,
    description: 'Maximum new connections to one IP address per minute. See PROBITY_SMTP_ADDRESS_CONNECTIONS.',
  }),
}

export const WORKER_TASKS = ['validations', 'jobs', 'webhooks', 'maintenance', 'notifications'] as const
export type WorkerTask = (typeof WORKER_TASKS)[number]
export const DEFAULT_TASKS = 'validations,jobs,webhooks'

const ABOUT_WORK = {
  WORKER_TASKS: Type.String({
    pattern: `^ *(${WORKER_TASKS.join('|')})( *, *(${WORKER_TASKS.join('|')}))* *$`,
    default: DEFAULT_TASKS,
    description:
      'Tasks of this process, comma-separated: validations, jobs, webhooks, maintenance (retention, account deletion, ledger reconciliation) and notifications (email). An installation needs a process for each. The first three parse untrusted input, so maintenance and notifications belong in a process of their own, with a login of their own.',
  }),
  WORKER_CONCURRENCY: Type.Integer({
    minimum: 1,
    maximum: 1_000,
    default: 500,
    description: 'Tasks that a process runs concurrently. Probes are I/O-bound.',
  }),
  LIST_SLOTS: Type.Integer({
    minimum: 0,
    maximum: 200,
    default: 32,
    description:
      'Job batches, of up to 100 addresses each, that a process runs concurrently. Interactive validations have separate slots. 0 to process no jobs.',
  }),
  WEBHOOK_SLOTS: Type.Integer({
    minimum: 0,
    maximum: 1_000,
    default: 200,
    description: 'Webhook deliveries that a process sends concurrently. 0 to send none.',
  }),
  RELEASE: Type.Boolean({
    default: true,
    description:
      'Whether this worker also runs the dispatcher, which dispatches jobs and webhook deliveries and recovers stalled work. Set to false on hosts that only probe.',
  }),
}

export const DNS_SERVERS = Type.String({
  default: '',
  otherwise: 'the system resolvers',
  description: 'DNS resolvers: address or address:port, comma-separated.',
})

export const WorkerSettings = Type.Object({
  DATABASE_URL,
  DATABASE_DIRECT_URL: Type.Optional(
    Type.String({
      format: URL_FORMATS.postgres,
      secret: true,
      otherwise: 'the same as PROBITY_DATABASE_URL',
      description:
        'PostgreSQL URL without a pooler, for one LISTEN connection. Required if PROBITY_DATABASE_URL is a pooler.',
    }),
  ),
  DATABASE_MAINTENANCE_URL: Type.Optional(
    Type.String({
      format: URL_FORMATS.postgres,
      secret: true,
      otherwise: 'the same as PROBITY_DATABASE_URL',
      description:
        'PostgreSQL URL of the login for maintenance and notifications, which has the role probity_maintenance.',
    }),
  ),
  REDIS_URL,
  DNS_SERVERS,
  LISTS_FOLDER: Type.Optional(
    Type.String({
      description:
        'Folder with your own disposable.txt, free.txt, relays.txt and allow.txt: one domain per line, # starts a comment. Changed files are reloaded. Your entries take precedence over the built-in lists.',
    }),
  ),
  ...ABOUT_MAIL_SERVERS,
  ...ABOUT_ADDRESSES,
  ...UPLOADS_SETTINGS,
  DATABASE_CONNECTIONS,
  ...ABOUT_WORK,
  SIGN_UP,
  ...ABUSE_SETTINGS,
  SHARE_FEEDBACK,
  WORKER_METRICS_PORT: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65535,
      description:
        'Port for Prometheus metrics of the worker at /metrics. Without it, metrics are off. Must differ from the port of the API and of other workers on the host.',
    }),
  ),
  MAINTENANCE_METRICS_PORT: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65535,
      description:
        'The same for a process that runs only maintenance or notifications, so that it can share its settings with a worker on the host.',
    }),
  ),
  METRICS_HOST,
  ...TRACE_SETTINGS,
  ...MAIL_SETTINGS,
  PUBLIC_URL,
  LOG_LEVEL,
})

/** The tasks that use a secret. A secret without an entry is used by processes with any task. */
export const SECRETS_OF_TASKS: Partial<Record<keyof typeof WorkerSettings.properties, readonly WorkerTask[]>> = {
  DATABASE_DIRECT_URL: ['validations', 'jobs', 'webhooks'],
  DATABASE_MAINTENANCE_URL: ['maintenance', 'notifications'],
  SMTP_EGRESS: ['validations', 'jobs', 'webhooks'],
  MAIL_URL: ['notifications'],
}

/** The settings of a process with these tasks: without the secrets of other tasks. */
export function settingsOfTasks(tasks: readonly WorkerTask[]): typeof WorkerSettings {
  const unused = Object.entries(SECRETS_OF_TASKS)
    .filter(([, users]) => !users.some((task) => tasks.includes(task)))
    .map(([name]) => name as keyof typeof WorkerSettings.properties)
  return Type.Omit(WorkerSettings as TObject, unused) as unknown as typeof WorkerSettings
}
