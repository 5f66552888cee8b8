import type { KeyScope } from '@probity/contract/constants/keys'
import { insertKey } from '@probity/database/accounts/keys'
import { asOwner, inTenant } from '@probity/database/connection/connect'
import { createTestDatabase, openTestAccount } from '@probity/database/connection/test-database'
import { startPgbouncer } from '@probity/lab/services/pgbouncer'
import { sql } from 'kysely'
import { afterAll, expect, inject, test } from 'vitest'
import { type ApiProcess, startApiProcess } from '../environment/processes.ts'

const PROCESSES = 20
/** The number of processes that start, and are used, at the same time: enough for two CPU cores. */
const AT_ONCE = 5
const CONNECTIONS_EACH = 3
const SERVER_CONNECTIONS = 10

const { url, db } = await createTestDatabase()
const pooler = await startPgbouncer(Number(new URL(inject('postgresUrl')).port), SERVER_CONNECTIONS)
afterAll(() => pooler.stop())

const pooled = new URL(url)
pooled.port = String(pooler.port)
const settings = { DATABASE_URL: pooled.href, DATABASE_CONNECTIONS: String(CONNECTIONS_EACH), STOP_NOTICE_MS: '0' }

async function callOf({ url: base }: ApiProcess, key: string, method: string, path: string, body?: object) {
  const headers = { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) }
  const answer = await fetch(base + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

/** Every route, each with its own account. */
async function useAllRoutes(process: ApiProcess): Promise<void> {
  const account = await openTestAccount(db, 7)
  const scopes: KeyScope[] = ['account:read', 'keys:write', 'validations:write']
  const { text } = await inTenant(db, account.id, (trx) =>
    insertKey(trx, account.id, { mode: 'live', name: 'p', scopes }),
  )
  const call = (method: string, path: string, body?: object) => callOf(process, text, method, `/api/v1${path}`, body)

  expect(await call('GET', '/account')).toMatchObject({
    status: 200,
    body: { id: account.id, credits: { available: 7 } },
  })
  // No worker runs, so the row is charged, waited for, canceled and refunded.
  const asked = await call('POST', '/validation/single', { email: 'ada@example.com', timeout: 1 })
  expect(asked).toMatchObject({ status: 200, body: { sub_status: 'not_started' } })
  expect(await call('GET', '/account')).toMatchObject({ body: { credits: { available: 7, used: 0 } } })
  const created = await call('POST', '/keys', { name: 'second', scopes })
  expect(created.status).toBe(201)
  const path = `/keys/${created.body['id']}`
  expect(await call('GET', '/keys')).toMatchObject({ status: 200, body: [{ name: 'second' }, { name: 'p' }] })
  expect(await call('GET', path)).toMatchObject({ status: 200, body: { name: 'second' } })
  expect(await call('PATCH', path, { name: 'third' })).toMatchObject({ status: 200, body: { name: 'third' } })
  expect(await call('DELETE', path)).toMatchObject({ status: 200, body: { status: 'revoked' } })
  expect((await callOf(process, String(created.body['key']), 'GET', '/api/v1/account')).status).toBe(401)
}

test(`${PROCESSES} processes behind a transaction-mode pooler serve every route over ${SERVER_CONNECTIONS} connections`, async () => {
  const processes: ApiProcess[] = []
  for (let n = 0; n < PROCESSES; n += AT_ONCE) {
    processes.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => startApiProcess(settings)))))
  }
  try {
    for (let n = 0; n < PROCESSES; n += AT_ONCE) {
      const some = processes.slice(n, n + AT_ONCE)
      await Promise.all(some.flatMap((process) => [useAllRoutes(process), useAllRoutes(process)]))
    }
    const { rows } = await asOwner(db, (trx) =>
      sql<{ n: number }>`select count(*) as n from pg_stat_activity
          where datname = current_database() and application_name = 'probity-api'`.execute(trx),
    )
    expect(rows[0]?.n).toBeGreaterThan(0)
    expect(rows[0]?.n).toBeLessThanOrEqual(SERVER_CONNECTIONS)
  } finally {
    await Promise.all(processes.map((process) => process.stop()))
  }
}, 300_000)
