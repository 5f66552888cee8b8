import { parseSettings, readList, URL_FORMATS } from '@probity/contract/settings'
import { readStorage, STORAGE_SETTINGS, type StorageSettings } from '@probity/uploads/storage-settings'
import Type from 'typebox'

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
  storage: StorageSettings
  logLevel: string
  limits: RequestLimits
  /** Keeps the queues of several installations on one Redis apart. */
  queuePrefix: string
}

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

/** Reads and checks every setting at start, naming all faults at once. The only place here that knows variable names. */
export function readConfig(env: Record<string, string | undefined>): ApiConfig {
  const vars = parseSettings(Settings, env)
  return {
    databaseUrl: vars.DATABASE_URL,
    redisUrl: vars.REDIS_URL,
    host: vars.HOST,
    port: vars.PORT,
    publicUrl: vars.PUBLIC_URL?.replace(/\/+$/, ''),
    trustedProxies: readList(vars.TRUST_PROXY),
    databaseConnections: vars.DATABASE_CONNECTIONS,
    inFlightMax: vars.IN_FLIGHT_MAX,
    stopNoticeMs: vars.STOP_NOTICE_MS,
    publicSandbox: vars.PUBLIC_SANDBOX === 'on',
    storage: readStorage(vars),
    logLevel: vars.LOG_LEVEL,
    limits: LIMITS,
    queuePrefix: 'probity',
  }
}
