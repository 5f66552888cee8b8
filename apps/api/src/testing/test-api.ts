import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { KEY_SCOPES, type KeyScope } from '@probity/contract/constants/keys'
import { insertKey, type NewKey } from '@probity/database/accounts/keys'
import { inTenant } from '@probity/database/connection/connect'
import { createTestDatabase, openTestAccount, type TestDatabase } from '@probity/database/connection/test-database'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { destination } from 'pino'
import { inject } from 'vitest'
import { LIMITS } from '../http/limits.ts'
import type { Route } from '../http/route.ts'
import { API_ROUTES, buildApp } from '../server/app.ts'
import { type ApiConfig, DOCS_FOLDER, WEB_FOLDER } from '../server/config.ts'
import { openLog } from '../server/log.ts'
import { openServices, type Services } from '../server/services.ts'

export type TestApi = TestDatabase & {
  app: FastifyInstance
  services: Services
  config: ApiConfig
  logFile: string
  /** Opens an account with a key, and returns a client that calls the API with that key. */
  openCaller(options?: CallerOptions): Promise<TestClient>
}

type CallerOptions = { plan?: string; credits?: number; key?: Partial<NewKey> }

export type TestClient = {
  accountId: string
  keyId: string
  key: string
  call(request: InjectOptions): Promise<TestResponse>
}

export type TestResponse = {
  status: number
  headers: Record<string, string>
  body: Record<string, unknown>
  text: string
}

const NEVER = new AbortController().signal
const ALL_SCOPES = Object.keys(KEY_SCOPES) as KeyScope[]

type TestApiOptions = {
  config?: Partial<ApiConfig>
  routes?: Route<Services>[]
  stopping?: AbortSignal
  hurry?: AbortSignal
}

/** The API on a database of its own and the run's Redis. Its log is kept and searched for secrets at the end of the run. */
export async function startTestApi(options: TestApiOptions = {}): Promise<TestApi> {
  const { config: changes = {}, routes = API_ROUTES, stopping = NEVER, hurry = NEVER } = options
  const database = await createTestDatabase()
  const config = testConfig(database.url, changes)
  const logFile = join(inject('logFolder'), `api-${randomUUID()}.log`)
  const log = openLog('debug', destination({ dest: logFile, sync: true }))
  const services = openServices(config, log, { stopping, hurry })
  const app = await buildApp(config, services, routes)
  whenDone(async () => {
    await app.close()
    await services.close()
  })
  return { ...database, app, services, config, logFile, openCaller: (options) => openCaller(app, database, options) }
}

export function testConfig(databaseUrl: string, changes: Partial<ApiConfig> = {}): ApiConfig {
  const uploadsFolder = makeFolder('probity-uploads')
  whenDone(() => removeFolder(uploadsFolder))
  return {
    databaseUrl,
    redisUrl: inject('redisUrl'),
    host: '127.0.0.1',
    port: 0,
    publicUrl: undefined,
    trustedProxies: [],
    databaseConnections: 10,
    inFlightMax: 512,
    publicSandbox: true,
    webFolder: WEB_FOLDER,
    docsFolder: DOCS_FOLDER,
    signUp: 'open',
    accountCreation: 'users',
    opening: { plan: 'payg', credits: null },
    mail: undefined,
    sessionSecret: undefined,
    operators: { requiresTwoFactor: false, networks: [] },
    abuseLimits: undefined,
    sharesFeedback: false,
    requestLogDays: 7,
    metrics: undefined,
    traces: undefined,
    payments: undefined,
    stopNoticeMs: 0,
    storage: { kind: 'folder', folder: uploadsFolder },
    // Most test files upload with one account. The limits have tests of their own.
    uploadLimits: { uploadsMax: 1_000, bytesMax: 10_000_000_000 },
    keysMax: 1_000,
    logLevel: 'debug',
    limits: LIMITS,
    queuePrefix: `test-${randomUUID()}`,
    ...changes,
  }
}

async function openCaller(
  app: FastifyInstance,
  { db }: TestDatabase,
  options: CallerOptions = {},
): Promise<TestClient> {
  const { plan = 'payg', credits = 0, key = {} } = options
  const account = await openTestAccount(db, credits, { plan })
  const made = await inTenant(db, account.id, (trx) =>
    insertKey(trx, account.id, { mode: 'live', name: 'test', scopes: ALL_SCOPES, ...key }),
  )
  const call = (request: InjectOptions) => callApp(app, withKey(request, made.text))
  return { accountId: account.id, keyId: made.key.id, key: made.text, call }
}

function withKey(request: InjectOptions, key: string): InjectOptions {
  return { ...request, headers: { 'x-api-key': key, ...request.headers } }
}

export async function callApp(app: FastifyInstance, request: InjectOptions): Promise<TestResponse> {
  const { statusCode, headers, payload } = await app.inject(request)
  const isJson = /\/(problem\+)?json/.test(String(headers['content-type']))
  const body = isJson ? (JSON.parse(payload) as Record<string, unknown>) : {}
  return { status: statusCode, headers: headers as Record<string, string>, body, text: payload }
}
