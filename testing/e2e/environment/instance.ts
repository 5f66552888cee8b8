import { setTimeout as sleep } from 'node:timers/promises'
import type { KeyScope } from '@probity/contract/constants/keys'
import { insertKey, type NewKey } from '@probity/database/accounts/keys'
import { inTenant } from '@probity/database/connection/connect'
import { createTestDatabase, openTestAccount, type TestDatabase } from '@probity/database/connection/test-database'
import { startDns } from '@probity/lab/dns/start'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { type ApiProcess, startApiProcess, startWorkerProcess, type WorkerProcess } from './processes.ts'
import { startOwnRedis } from './redis.ts'

/**
 * The API and a worker as separate processes, with the lab's DNS. It has its own Redis: workers of other tests would
 * take its tasks, whose rows they could not find.
 */
export type Instance = TestDatabase & { api: ApiProcess; worker: WorkerProcess; settings: Record<string, string> }

export async function startInstance(changes: Record<string, string> = {}): Promise<Instance> {
  const [database, dns] = await Promise.all([createTestDatabase(), startDns()])
  whenDone(() => dns.stop())
  const uploads = makeFolder('probity-uploads')
  whenDone(() => removeFolder(uploads))
  const settings = {
    DATABASE_URL: database.url,
    REDIS_URL: changes['REDIS_URL'] ?? (await startOwnRedis()),
    UPLOADS_FOLDER: uploads,
    DNS_SERVERS: `127.0.0.1:${dns.port}`,
    STOP_NOTICE_MS: '0',
    ...changes,
  }
  const [api, worker] = await Promise.all([startApiProcess(settings), startWorkerProcess(settings)])
  return { ...database, api, worker, settings }
}

export type ApiClient = { accountId: string; keyId: string; key: string; call: Call }
export type Called = { status: number; headers: Headers; body: Record<string, unknown>; text: string }
type Call = (method: string, path: string, body?: object, headers?: Record<string, string>) => Promise<Called>

type CustomerOptions = { credits?: number; plan?: string; key?: Partial<NewKey> }

/**
 * A customer with a key, who calls the API as any client would. Paths are relative to /api/v1, as in the interface
 * specification.
 */
export async function createApiClient(
  { db, api }: Pick<Instance, 'db'> & { api: Pick<ApiProcess, 'url'> },
  options: CustomerOptions = {},
): Promise<ApiClient> {
  const { credits = 1_000, plan = 'scale', key = {} } = options
  const account = await openTestAccount(db, credits, { plan })
  const scopes: KeyScope[] = ['validations:write', 'jobs:write', 'account:read', 'keys:write', 'webhooks:write']
  const made = await inTenant(db, account.id, (trx) =>
    insertKey(trx, account.id, { mode: 'live', name: 'journey', scopes, ...key }),
  )
  const call: Call = (method, path, body, headers = {}) =>
    callApi(`${api.url}/api/v1${path}`, method, body, { 'x-api-key': made.text, ...headers })
  return { accountId: account.id, keyId: made.key.id, key: made.text, call }
}

export async function callApi(url: string, method: string, body?: object, headers: Record<string, string> = {}) {
  const typed = body ? { 'content-type': 'application/json', ...headers } : headers
  const answer = await fetch(url, { method, headers: typed, ...(body && { body: JSON.stringify(body) }) })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.includes('json')
  return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : {}, text }
}

const OVERLOADED_MAX = 40

/** Sends a request again while the response is 503, as a client of a process under load does, for twenty seconds in all. */
export async function repeatWhileOverloaded<Response extends { status: number }>(
  send: () => Promise<Response>,
): Promise<Response> {
  for (let attempts = 1; ; attempts += 1) {
    const response = await send()
    if (response.status !== 503 || attempts === OVERLOADED_MAX) return response
    await sleep(500)
  }
}
