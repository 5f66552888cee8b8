import type { Health, HealthPart } from '@probity/contract/schemas/operators'
import { asOwner } from '@probity/database/connection/connect'
import { recordUnclassifiedReplies } from '@probity/database/operators/unclassified-replies'
import { recordProcess } from '@probity/database/system/processes'
import { listOwnMigrations } from '@probity/database/system/schema-version'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { startUsersApi } from '../testing/test-browser.ts'
import { signUpOperator } from '../testing/test-operator.ts'

const api = await startUsersApi()
const operator = await signUpOperator(api)

async function look(): Promise<Record<string, HealthPart>> {
  const { status, body } = await operator.get('/operator/health')
  expect(status).toBe(200)
  const { parts } = body as Health
  return Object.fromEntries(parts.map((part) => [part.name, part]))
}

const WORKER = { kind: 'worker', version: '0.1.0' } as const
const [FIRST, SECOND] = ['00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-00000000000b'] as const

test('each part has a status, a description and the time since it applies', async () => {
  await vi.waitFor(async () => expect((await look())['API']).toMatchObject({ state: 'ok' }), 5_000)
  const parts = await look()
  expect(Object.keys(parts).toSorted()).toEqual(
    [
      'API',
      'Ledger reconciliation',
      'Doctor',
      'SMTP relay',
      'Maintenance',
      'Migrations',
      'PostgreSQL',
      'Queue',
      'Redis',
      'Uploads',
      'Version',
      'Workers',
    ].toSorted(),
  )
  for (const name of ['PostgreSQL', 'Redis', 'Uploads', 'Migrations', 'Queue', 'Version']) {
    expect(parts[name]).toMatchObject({ state: 'ok' })
  }
  expect(parts['SMTP relay']).toMatchObject({ state: 'off', detail: expect.stringContaining('MAIL_URL') })
  expect(parts['Migrations']?.detail).toBe(
    `All migrations are applied. The last one is ${(await listOwnMigrations()).at(-1)}.`,
  )
  expect(parts['API']?.since_at).toEqual(expect.any(String))
})

test('the Workers part is down without a worker and counts workers without a heartbeat', async () => {
  expect((await look())['Workers']).toMatchObject({ state: 'down' })
  await recordProcess(api.db, { ...WORKER, id: FIRST, facts: { egresses: [] } })
  expect((await look())['Workers']).toMatchObject({
    state: 'degraded',
    detail: expect.stringContaining('SMTP_HELO_NAME'),
  })
  await recordProcess(api.db, { ...WORKER, id: SECOND, facts: { egresses: [{ name: 'mx.example.com' }] } })
  expect((await look())['Workers']).toMatchObject({ state: 'ok', detail: '2 processes are running.' })
  const closed = { mode: 'dns', reason: 'port_25_closed' }
  await recordProcess(api.db, {
    ...WORKER,
    id: SECOND,
    facts: { egresses: [{ name: 'mx.example.com' }], probing: closed },
  })
  expect((await look())['Workers']).toMatchObject({ state: 'degraded', detail: expect.stringContaining('port 25') })
  const facts = { egresses: [{ name: 'mx.example.com' }], resolver_trusted: false }
  await recordProcess(api.db, { ...WORKER, id: SECOND, facts })
  expect((await look())['Workers']).toMatchObject({
    state: 'degraded',
    detail: '2 processes are running. The DNS resolver of one process failed its check. See the Doctor page.',
  })
  await asOwner(api.db, (trx) =>
    sql`update processes set seen_at = seen_at - interval '1 minute' where id = ${SECOND}`.execute(trx),
  )
  expect((await look())['Workers']?.detail).toMatch(/^1 process is running\. 1 stopped sending heartbeats/)
})

test('health reports different versions, a ledger mismatch and overdue reconciliation', async () => {
  await recordProcess(api.db, { ...WORKER, version: '0.0.9', id: '00000000-0000-0000-0000-00000000000c', facts: {} })
  expect((await look())['Version']).toMatchObject({
    state: 'degraded',
    detail: 'Different versions are running: 0.0.9, 0.1.0.',
  })
  await asOwner(api.db, (trx) =>
    sql`update reconciliation_runs set reconciled_until = now() - interval '1 hour'`.execute(trx),
  )
  expect((await look())['Ledger reconciliation']).toMatchObject({
    state: 'degraded',
    detail: expect.stringContaining('WORKER_TASKS'),
  })
  const { accountId } = await api.openCaller()
  await asOwner(api.db, (trx) => sql`update accounts set on_hold_since = now() where id = ${accountId}`.execute(trx))
  expect((await look())['Ledger reconciliation']?.detail).toMatch(/^One account is on hold/)
})

test('replies that no rule knows are shown and marked, the most frequent first', async () => {
  const reply = { provider: 'gmx', stage: 'rcpt', code: 550, reply: '5.7.1 Go away' }
  await recordUnclassifiedReplies(api.db, [
    { ...reply, seen: 2 },
    { ...reply, reply: 'Who are you', seen: 5 },
  ])
  const list = async () => (await operator.get('/operator/replies')).body['replies'] as Record<string, unknown>[]
  expect(await list()).toMatchObject([
    { reply: 'Who are you', seen: 5, reviewed_at: null },
    { reply: '5.7.1 Go away', seen: 2 },
  ])
  expect((await operator.post('/operator/replies/review', { ...reply, is_reviewed: true })).status).toBe(204)
  expect((await list())[1]).toMatchObject({ reply: '5.7.1 Go away', reviewed_at: expect.any(String) })
  expect((await operator.post('/operator/replies/review', { ...reply, is_reviewed: false })).status).toBe(204)
  expect((await list())[1]).toMatchObject({ reviewed_at: null })
  expect((await operator.post('/operator/replies/review', { ...reply, code: 551, is_reviewed: true })).status).toBe(404)
})
