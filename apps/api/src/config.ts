import { fileURLToPath } from 'node:url'
import { BadSettings, parseSettings, readList, URL_FORMATS } from '@probity/contract/settings'
import type { Opening } from '@probity/database/people'
import { readStorage, STORAGE_SETTINGS, type StorageSettings } from '@probity/uploads/storage-settings'
import type { Static } from 'typebox'
import Type from 'typebox'
import type { PaymentSettings } from './billing/payments.ts'
import type { MetricsPlace } from './metrics.ts'
import type { MailSettings } from './people/mail/send.ts'

const Settings = Type.Object({
  DATABASE_URL: Type.String({
    format: URL_FORMATS.postgres,
    description:
      'PostgreSQL, directly or through a transaction-mode pooler, as postgres://user:password@host/database.',
  }),
  REDIS_URL: Type.String({ format: URL_FORMATS.redis, description: 'Redis, as redis://host:port.' }),
  HOST: Type.String({ default: '127.0.0.1', description: 'The address to listen on; 0.0.0.0 or :: for all.' }),
  PORT: Type.Integer({ minimum: 0, maximum: 65535, default: 3000, description: 'The port to listen on.' }),
  PUBLIC_URL: Type.Optional(
    Type.String({
      format: 'uri',
      description: 'Where callers reach the service, as https://host; for the API document.',
    }),
  ),
  TRUST_PROXY: Type.String({
    default: '',
    description: 'Addresses or CIDR ranges of the proxies whose X-Forwarded-For is believed, separated by commas.',
  }),
  DATABASE_CONNECTIONS: Type.Integer({ minimum: 1, maximum: 100, default: 5, description: 'Connections per process.' }),
  IN_FLIGHT_MAX: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    default: 512,
    description: 'Requests that one process works on at once; beyond it callers are told to come back.',
  }),
  STOP_NOTICE_MS: Type.Integer({
    minimum: 0,
    maximum: 10_000,
    default: 3_000,
    description: 'How long /readyz says no before the process stops listening, so that load balancers look elsewhere.',
  }),
  PUBLIC_SANDBOX: Type.Enum(['on', 'off'], {
    default: 'on',
    description:
      'Whether the public sandbox key works, with which anybody can try the API in test mode without an account.',
  }),
  WEB_FOLDER: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'The folder with the built web application; that of this copy of the code.',
    }),
  ),
  SIGN_UP: Type.Enum(['open', 'invitation'], {
    default: 'invitation',
    description: 'Who may sign up: anybody, or those who were invited.',
  }),
  NEW_ACCOUNT_PLAN: Type.String({ default: 'payg', description: 'The plan of an account that a person opens.' }),
  NEW_ACCOUNT_CREDITS: Type.String({
    pattern: '^(unlimited|[0-9]{1,9})$',
    default: 'unlimited',
    description: 'The credits that an account begins with which a person opens: a whole number, or unlimited.',
  }),
  MAIL_URL: Type.Optional(
    Type.String({
      pattern: '^smtps?://.',
      description: 'The mail server that letters to people go through, as smtp://user:password@host:port.',
    }),
  ),
  MAIL_FROM: Type.String({
    default: 'Probity <probity@localhost>',
    description: 'The sender of letters to people.',
  }),
  SESSION_SECRET: Type.Optional(
    Type.String({
      minLength: 32,
      description: 'What sessions are signed with, at least 32 characters; without it a secret of the database.',
    }),
  ),
  SHARE_FEEDBACK: Type.Enum(['on', 'off'], {
    default: 'off',
    description:
      'Whether outcomes that one account reports also count for the others, up to a bound; the same for the worker.',
  }),
  STRIPE_SECRET_KEY: Type.Optional(
    Type.String({
      pattern: '^[sr]k_(live|test)_.',
      description: 'The secret or restricted key of a Stripe account; without it nothing is sold.',
    }),
  ),
  STRIPE_WEBHOOK_SECRET: Type.Optional(
    Type.String({
      pattern: '^whsec_.',
      description: 'The signing secret of the endpoint at which Stripe tells us what was paid.',
    }),
  ),
  METRICS_PORT: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65535,
      description: 'The port to serve metrics on, at /metrics; none if not set.',
    }),
  ),
  METRICS_HOST: Type.String({ default: '127.0.0.1', description: 'The address to serve metrics on.' }),
  ...STORAGE_SETTINGS,
  LOG_LEVEL: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'], {
    default: 'info',
    description: 'How much to log.',
  }),
})

/** How long one request may take at each step, and how large it may be. Set on purpose: the defaults beneath are not ours. */
export type RequestLimits = {
  headerBytesMax: number
  bodyBytesMax: number
  headersTimeoutMs: number
  requestTimeoutMs: number
  /** For a body that may be large, instead of the one above; its sender must be at least this quick. */
  uploadTimeoutMs: number
  uploadBytesPerSecondMin: number
  keepAliveTimeoutMs: number
  requestsPerSocketMax: number
}

export type ApiConfig = {
  databaseUrl: string
  redisUrl: string
  host: string
  port: number
  publicUrl: string | undefined
  trustedProxies: string[]
  databaseConnections: number
  inFlightMax: number
  stopNoticeMs: number
  publicSandbox: boolean
  /** Where the pages of the web application are. */
  webFolder: string
  signUp: 'open' | 'invitation'
  /** What an account begins with that a person opens. */
  opening: Opening
  mail: MailSettings | undefined
  sessionSecret: string | undefined
  /** Whether what one account reports also counts for the others. */
  sharesFeedback: boolean
  metrics: MetricsPlace | undefined
  payments: PaymentSettings | undefined
  storage: StorageSettings
  logLevel: string
  limits: RequestLimits
  /** Keeps the queues of several installations on one Redis apart. */
  queuePrefix: string
}

/** What `pnpm --filter @probity/web build` writes. */
export const WEB_FOLDER = fileURLToPath(new URL('../../web/dist', import.meta.url))

export const LIMITS: RequestLimits = {
  headerBytesMax: 16 * 1024,
  bodyBytesMax: 4 * 1024, // what a route needs beyond this it says itself
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  uploadTimeoutMs: 300_000,
  uploadBytesPerSecondMin: 10 * 1024,
  keepAliveTimeoutMs: 5_000,
  requestsPerSocketMax: 1_000,
}

const LETTERS_NEED_ADDRESS = `These settings cannot be used:
  PUBLIC_URL is missing. Letters hold links to it, so MAIL_URL needs it.`

/** Reads and checks every setting at start, naming all faults at once. The only place here that knows variable names. */
export function readConfig(env: Record<string, string | undefined>): ApiConfig {
  const vars = parseSettings(Settings, env)
  if (vars.MAIL_URL !== undefined && vars.PUBLIC_URL === undefined) throw new BadSettings(LETTERS_NEED_ADDRESS)
  return {
    databaseUrl: vars.DATABASE_URL,
    redisUrl: vars.REDIS_URL,
    host: vars.HOST,
    port: vars.PORT,
    publicUrl: vars.PUBLIC_URL && withoutSlash(vars.PUBLIC_URL),
    trustedProxies: readList(vars.TRUST_PROXY),
    databaseConnections: vars.DATABASE_CONNECTIONS,
    inFlightMax: vars.IN_FLIGHT_MAX,
    stopNoticeMs: vars.STOP_NOTICE_MS,
    publicSandbox: vars.PUBLIC_SANDBOX === 'on',
    webFolder: vars.WEB_FOLDER ?? WEB_FOLDER,
    signUp: vars.SIGN_UP,
    opening: {
      plan: vars.NEW_ACCOUNT_PLAN,
      credits: vars.NEW_ACCOUNT_CREDITS === 'unlimited' ? null : Number(vars.NEW_ACCOUNT_CREDITS),
    },
    mail: vars.MAIL_URL === undefined ? undefined : { url: vars.MAIL_URL, from: vars.MAIL_FROM },
    sessionSecret: vars.SESSION_SECRET,
    sharesFeedback: vars.SHARE_FEEDBACK === 'on',
    metrics: vars.METRICS_PORT === undefined ? undefined : { host: vars.METRICS_HOST, port: vars.METRICS_PORT },
    payments: readPayments(vars),
    storage: readStorage(vars),
    logLevel: vars.LOG_LEVEL,
    limits: LIMITS,
    queuePrefix: 'probity',
  }
}

const PAYMENTS_NEED_ALL = `These settings cannot be used:
  STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET and PUBLIC_URL go together. Whoever pays without the others pays for nothing.`

/** Payments are on where all that they need is there, and off where none of it is. */
function readPayments(vars: Static<typeof Settings>): PaymentSettings | undefined {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret, PUBLIC_URL: publicUrl } = vars
  if (secretKey === undefined && webhookSecret === undefined) return undefined
  if (secretKey === undefined || webhookSecret === undefined || publicUrl === undefined) {
    throw new BadSettings(PAYMENTS_NEED_ALL)
  }
  return { secretKey, webhookSecret, publicUrl: withoutSlash(publicUrl) }
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '')
}
