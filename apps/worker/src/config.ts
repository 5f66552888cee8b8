import { parseSettings, readList, URL_FORMATS } from '@probity/contract/settings'
import type { Egress } from '@probity/engine/mailbox/egress'
import { readStorage, STORAGE_SETTINGS, type StorageSettings } from '@probity/uploads/storage-settings'
import Type from 'typebox'
import { readEgresses } from './egresses.ts'

const HOST_NAME = '^(?=.{4,253}$)([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z]{2,63}$'
const MAIL_ADDRESS = '^[A-Za-z0-9._+-]{1,64}@[A-Za-z0-9.-]{4,190}$'

const Settings = Type.Object({
  DATABASE_URL: Type.String({
    format: URL_FORMATS.postgres,
    description:
      'PostgreSQL, directly or through a transaction-mode pooler, as postgres://user:password@host/database.',
  }),
  DATABASE_DIRECT_URL: Type.Optional(
    Type.String({
      format: URL_FORMATS.postgres,
      description:
        'PostgreSQL without a pooler, for one connection that listens. Needed where DATABASE_URL is a pooler.',
    }),
  ),
  REDIS_URL: Type.String({ format: URL_FORMATS.redis, description: 'Redis, as redis://host:port.' }),
  DNS_SERVERS: Type.String({
    default: '',
    description:
      'The resolvers to ask, as address or address:port, separated by commas; without it, those of the system.',
  }),
  LISTS_FOLDER: Type.Optional(
    Type.String({
      description: 'A folder with disposable.txt, free.txt, relays.txt and allow.txt, read again when changed.',
    }),
  ),
  SMTP_HELO_NAME: Type.Optional(
    Type.String({
      pattern: HOST_NAME,
      description: 'Our full host name, whose address points back to it. Without it no mail server is asked.',
    }),
  ),
  SMTP_MAIL_FROM: Type.Optional(
    Type.String({
      pattern: MAIL_ADDRESS,
      description: 'The sender that mail servers see, an address of yours that takes mail. Goes with SMTP_HELO_NAME.',
    }),
  ),
  SMTP_EGRESS: Type.String({
    default: '',
    description:
      'Ways out with a name each, as host-name=address or host-name=socks5://user:password@host:port, separated by commas; without it one, by SMTP_HELO_NAME.',
  }),
  SMTP_DENY: Type.String({
    default: '',
    description:
      'Addresses or CIDR ranges that are never connected to, for mail or for webhooks, besides those that are not public.',
  }),
  ...STORAGE_SETTINGS,
  DATABASE_CONNECTIONS: Type.Integer({ minimum: 1, maximum: 100, default: 5, description: 'Connections per process.' }),
  WORKER_CONCURRENCY: Type.Integer({
    minimum: 1,
    maximum: 1_000,
    default: 500,
    description: 'Tasks that one process works on at once. Most of their time is spent waiting for others.',
  }),
  LIST_SLOTS: Type.Integer({
    minimum: 0,
    maximum: 200,
    default: 32,
    description: 'Batches of lists that one process works on at once, each of up to 100 addresses; 0 for none.',
  }),
  WEBHOOK_SLOTS: Type.Integer({
    minimum: 0,
    maximum: 1_000,
    default: 200,
    description:
      'Events that one process sends to webhooks at once; 0 for none. Most of the time is spent waiting for them.',
  }),
  SHARE_FEEDBACK: Type.Enum(['on', 'off'], {
    default: 'off',
    description:
      'Whether outcomes that one account reports also count for the others, up to a bound; the same for the api.',
  }),
  RELEASE: Type.Boolean({
    default: true,
    description: 'Whether this process also looks for work that the queue lost. Off on hosts that only probe.',
  }),
  LOG_LEVEL: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'], {
    default: 'info',
    description: 'How much to log.',
  }),
})

export type WorkerConfig = {
  databaseUrl: string
  directUrl: string
  redisUrl: string
  dnsServers: string[]
  listsFolder: string | undefined
  /** The ways out that mail servers are asked from; none when they are not asked. */
  egresses: Egress[]
  deniedAddresses: string[]
  /** Where uploaded files are; the same place as the api's. */
  storage: StorageSettings
  databaseConnections: number
  concurrency: number
  listSlots: number
  webhookSlots: number
  /** Whether what one account reports of its mail counts for others. */
  sharesFeedback: boolean
  release: boolean
  logLevel: string
  /** Keeps the queues of several installations on one Redis apart. */
  queuePrefix: string
}

/** Reads and checks every setting at start, naming all faults at once. The only place here that knows variable names. */
export function readConfig(env: Record<string, string | undefined>): WorkerConfig {
  const vars = parseSettings(Settings, env)
  return {
    databaseUrl: vars.DATABASE_URL,
    directUrl: vars.DATABASE_DIRECT_URL ?? vars.DATABASE_URL,
    redisUrl: vars.REDIS_URL,
    dnsServers: readList(vars.DNS_SERVERS),
    listsFolder: vars.LISTS_FOLDER,
    egresses: readEgresses({ heloName: vars.SMTP_HELO_NAME, mailFrom: vars.SMTP_MAIL_FROM, egress: vars.SMTP_EGRESS }),
    deniedAddresses: readList(vars.SMTP_DENY),
    storage: readStorage(vars),
    databaseConnections: vars.DATABASE_CONNECTIONS,
    concurrency: vars.WORKER_CONCURRENCY,
    listSlots: vars.LIST_SLOTS,
    webhookSlots: vars.WEBHOOK_SLOTS,
    sharesFeedback: vars.SHARE_FEEDBACK === 'on',
    release: vars.RELEASE,
    logLevel: vars.LOG_LEVEL,
    queuePrefix: 'probity',
  }
}
