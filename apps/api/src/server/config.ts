import { fileURLToPath } from 'node:url'
import type { Opening } from '@probity/database/users/users'
import type { MailSettings } from '@probity/email/send'
import { ApiSettings } from '@probity/settings/api-settings'
import { type AbuseLimits, readAbuseLimits } from '@probity/settings/connection-settings'
import { isLoopbackHost, readList } from '@probity/settings/formats'
import { readMail } from '@probity/settings/mail'
import { BadSettings, readOwnSettings } from '@probity/settings/parse'
import type { MetricsAddress } from '@probity/telemetry/metrics'
import type { TraceSettings } from '@probity/telemetry/span'
import { readTraceSettings } from '@probity/telemetry/traces'
import { readStorage, type StorageSettings } from '@probity/uploads/storage'
import type { Static } from 'typebox'
import type { PaymentSettings } from '../billing/payments.ts'
import { LIMITS, type RequestLimits } from '../http/limits.ts'
import { isRange } from '../http/networks.ts'
import type { UploadLimits } from '../jobs/uploads/share.ts'
import type { OperatorAccess } from '../middleware/authentication/operator.ts'

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
  /** Folder with the pages of the web app. */
  webFolder: string
  /** Folder with the pages of the docs. */
  docsFolder: string
  signUp: 'open' | 'invitation'
  /** Which users can create accounts. */
  accountCreation: 'users' | 'operators'
  /** Undefined if the abuse limits are off. */
  abuseLimits: AbuseLimits | undefined
  /** Plan and credits of an account that a user creates. */
  opening: Opening
  mail: MailSettings | undefined
  sessionSecret: string | undefined
  operators: OperatorAccess
  /** Whether outcomes that one account reports also count for other accounts. */
  sharesFeedback: boolean
  /** Number of days that requests are stored in the account's log. */
  requestLogDays: number
  metrics: MetricsAddress | undefined
  traces: TraceSettings | undefined
  payments: PaymentSettings | undefined
  storage: StorageSettings
  uploadLimits: UploadLimits
  /** API keys of one account that are neither revoked nor expired. */
  keysMax: number
  logLevel: string
  limits: RequestLimits
  /** Separates the queues of several installations on one Redis. */
  queuePrefix: string
}

/** Output of `pnpm --filter @probity/web build`. */
export const WEB_FOLDER = fileURLToPath(new URL('../../../web/dist', import.meta.url))

/** Output of `pnpm --filter @probity/docs build`. */
export const DOCS_FOLDER = fileURLToPath(new URL('../../../docs/dist', import.meta.url))

type Settings = Static<typeof ApiSettings>

/** Reads and validates all settings at startup and reports all errors at once. The only place in the API that knows variable names. */
export function readConfig(env: Record<string, string | undefined>): ApiConfig {
  return readOwnSettings(ApiSettings, env, buildConfig)
}

function buildConfig(vars: Settings): ApiConfig {
  const payments = readPayments(vars)
  return {
    databaseUrl: vars.DATABASE_URL,
    redisUrl: vars.REDIS_URL,
    host: vars.HOST,
    port: vars.PORT,
    publicUrl: vars.PUBLIC_URL && withoutSlash(vars.PUBLIC_URL),
    trustedProxies: readRanges('TRUST_PROXY', vars.TRUST_PROXY),
    databaseConnections: vars.DATABASE_CONNECTIONS,
    inFlightMax: vars.IN_FLIGHT_MAX,
    stopNoticeMs: vars.STOP_NOTICE_MS,
    publicSandbox: vars.PUBLIC_SANDBOX,
    webFolder: vars.WEB_FOLDER ?? WEB_FOLDER,
    docsFolder: vars.DOCS_FOLDER ?? DOCS_FOLDER,
    signUp: vars.SIGN_UP,
    accountCreation: vars.ACCOUNT_CREATION ?? (vars.SIGN_UP === 'open' ? 'users' : 'operators'),
    abuseLimits: readAbuseLimits(vars),
    opening: readOpening(vars, payments),
    mail: readMail(vars),
    sessionSecret: vars.SESSION_SECRET,
    operators: readOperators(vars),
    sharesFeedback: vars.SHARE_FEEDBACK,
    requestLogDays: vars.REQUEST_LOG_DAYS,
    metrics: vars.METRICS_PORT === undefined ? undefined : { host: vars.METRICS_HOST, port: vars.METRICS_PORT },
    traces: readTraceSettings(vars),
    payments,
    storage: readStorage(vars),
    uploadLimits: {
      uploadsMax: vars.UPLOADS_PER_ACCOUNT,
      bytesMax: vars.UPLOAD_MEGABYTES_PER_ACCOUNT * 1_000_000,
    },
    keysMax: vars.KEYS_PER_ACCOUNT,
    logLevel: vars.LOG_LEVEL,
    limits: {
      ...LIMITS,
      writeTimeoutMs: vars.WRITE_TIMEOUT_MS,
      connectionsPerNetworkMax: vars.CONNECTIONS_PER_NETWORK_MAX,
      unfinishedPerNetworkMax: vars.UNFINISHED_PER_NETWORK_MAX,
    },
    queuePrefix: 'probity',
  }
}

function readRanges(name: string, text: string): string[] {
  const list = readList(text)
  const wrong = list.find((entry) => !isRange(entry))
  if (wrong === undefined) return list
  throw new BadSettings([{ name, says: `${name} must contain IP addresses or CIDR ranges, not "${wrong}".` }])
}

function readOperators(vars: Settings): OperatorAccess {
  const { OPERATOR_2FA: twoFactor, OPERATOR_NETWORKS: networks, PUBLIC_URL: publicUrl, HOST: host } = vars
  if (twoFactor === 'optional' && !isLoopbackHost(publicUrl === undefined ? host : new URL(publicUrl).hostname)) {
    const says =
      'PROBITY_OPERATOR_2FA can be optional only if PROBITY_PUBLIC_URL, or PROBITY_HOST without it, is a loopback address.'
    throw new BadSettings([{ name: 'OPERATOR_2FA', says }])
  }
  return { requiresTwoFactor: twoFactor === 'required', networks: readRanges('OPERATOR_NETWORKS', networks) }
}

/** An installation that sells credits must not grant unlimited ones. */
function readOpening(vars: Settings, payments: PaymentSettings | undefined): Opening {
  const { NEW_ACCOUNT_PLAN: plan, NEW_ACCOUNT_CREDITS, SIGN_UP } = vars
  const credits = NEW_ACCOUNT_CREDITS ?? (SIGN_UP === 'open' ? '0' : 'unlimited')
  if (credits !== 'unlimited') return { plan, credits: Number(credits) }
  if (payments === undefined) return { plan, credits: null }
  const says =
    'PROBITY_NEW_ACCOUNT_CREDITS must be a number if payments are enabled, for example 0: new accounts would have unlimited credits.'
  throw new BadSettings([{ name: 'NEW_ACCOUNT_CREDITS', says }])
}

/** Payments are on if all their settings are present, and off if none is. */
function readPayments(vars: Settings): PaymentSettings | undefined {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret, PUBLIC_URL: publicUrl } = vars
  if (secretKey === undefined && webhookSecret === undefined) return undefined
  if (secretKey === undefined || webhookSecret === undefined || publicUrl === undefined) {
    const says =
      'PROBITY_STRIPE_SECRET_KEY, PROBITY_STRIPE_WEBHOOK_SECRET and PROBITY_PUBLIC_URL must be set together. Otherwise paid credits would not be granted.'
    throw new BadSettings([{ name: secretKey === undefined ? 'STRIPE_WEBHOOK_SECRET' : 'STRIPE_SECRET_KEY', says }])
  }
  const { SUSPEND_ON_DISPUTE: suspendsOnDispute } = vars
  return { secretKey, webhookSecret, publicUrl: withoutSlash(publicUrl), suspendsOnDispute }
}

function withoutSlash(url: string): string {
  return url.replace(/(?<!\/)\/+$/, '')
}
