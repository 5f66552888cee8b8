import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pendingResult } from '@probity/contract/schemas/validations/stored-result'
import { listLedgerMismatches } from '@probity/database/billing/reconciliation'
import { asOwner, connect, inTenant } from '@probity/database/connection/connect'
import { listTestResults } from '@probity/database/jobs/results/test-results'
import { migrate } from '@probity/database/system/migrate'
import { letExpire } from '@probity/database/system/test-expiry'
import { deferResult, finishValidation, openValidations } from '@probity/database/validations/validations'
import { startDns } from '@probity/lab/dns/start'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { startPostgres } from '@probity/lab/services/postgres'
import { startRedis } from '@probity/lab/services/redis'
import { whenDone } from '@probity/lab/when-done'
import { sql } from 'kysely'
import { expect, inject, test, vi } from 'vitest'
import { type ApiClient, createApiClient } from '../environment/instance.ts'
import { startApiProcess, startMaintenanceProcess, startWorkerProcess } from '../environment/processes.ts'

const [postgres, redis, dns] = await Promise.all([startPostgres(), startRedis(), startDns()])
whenDone(() => Promise.all([postgres.stop(), redis.stop(), dns.stop()]))
const uploads = makeFolder('probity-uploads')
whenDone(() => removeFolder(uploads))
await migrate(postgres.url)
const db = connect(postgres.url)
whenDone(() => db.destroy())
const settings = {
  DATABASE_URL: postgres.url,
  REDIS_URL: redis.url,
  DNS_SERVERS: `127.0.0.1:${dns.port}`,
  UPLOADS_FOLDER: uploads,
  STOP_NOTICE_MS: '0',
}

const WITHIN = { timeout: 60_000, interval: 200 }

const CANARY = `canary-${randomUUID()}`
const EMAIL = `${CANARY}@null-mx.example`
const LIST = `name,email,note\nAda,${EMAIL},first\nBo,${CANARY}@two-mx.example,\nCy,${EMAIL},again\n`

/** Every use of an address that the service offers. */
async function useService({ accountId, call, key }: ApiClient, apiUrl: string): Promise<{ openId: string }> {
  /** A busy machine may respond with 503, which the client retries. */
  const succeed = (...args: Parameters<typeof call>) =>
    vi.waitFor(async () => {
      const answer = await call(...args)
      expect(answer.status).toBeLessThan(300)
      return answer
    }, WITHIN)
  await succeed('POST', '/webhooks', { url: 'https://hooks.two-mx.example/' }) // no server exists there
  await succeed('POST', '/validation/single', { email: EMAIL }, { 'idempotency-key': 'once' })
  await succeed('GET', `/validation/single?email=${CANARY}%40two-mx.example`)
  await succeed('POST', '/validation/bulk', { emails: [EMAIL, `${CANARY}@a-only.example`] })

  const upload = () =>
    vi.waitFor(async () => {
      const body = new FormData()
      body.append('file', new Blob([LIST]), 'list.csv')
      const sent = { method: 'POST', headers: { 'x-api-key': key }, body }
      const answer = await fetch(`${apiUrl}/api/v1/bulk/upload/preview`, sent)
      expect(answer.status).toBe(200)
      return ((await answer.json()) as { upload_id: string }).upload_id
    }, WITHIN)
  await upload() // never confirmed
  const confirmed = await succeed('POST', '/bulk/upload/confirm', { upload_id: await upload(), email_column: 'email' })
  const job = `/bulk/jobs/${confirmed.body['id']}`
  await vi.waitFor(async () => expect((await call('GET', job)).body['status']).toBe('completed'), WITHIN)

  const openId = randomUUID()
  await inTenant(db, accountId, async (trx) => {
    const rows = [openId, randomUUID()].map((id) => ({ id, email: EMAIL, emailKey: EMAIL }))
    const opened = await openValidations(trx, { accountId, keyId: null, retentionDays: 30, group: openId }, rows)
    if (opened.kind !== 'opened') return
    for (const ref of opened.refs) await deferResult(trx, ref)
    const ended = opened.refs.find(({ id }) => id !== openId)
    const result = pendingResult(EMAIL, 'timeout')
    if (ended) await finishValidation(trx, ended, { conclusive: true, result }) // an event for webhooks
  })
  return { openId }
}

/** The compressed result blocks of the account, which contain no plain text. */
async function listBlocks(accountId: string): Promise<Buffer[]> {
  const chunks = await asOwner(db, (trx) =>
    trx.selectFrom('resultChunks').select(['index', 'results']).where('accountId', '=', accountId).execute(),
  )
  return chunks.flatMap(({ index, results }) => [index, results])
}

function dumpTables(): string {
  return execFileSync('pg_dump', ['--dbname', postgres.url], { encoding: 'utf8', maxBuffer: 1e9 })
}

/** The table files on disk. The write-ahead log is not included: PostgreSQL recycles it on its own schedule. */
async function listTableFiles(): Promise<string[]> {
  const { rows } = await asOwner(db, (trx) => sql<{ dataDirectory: string }>`show data_directory`.execute(trx))
  const folder = rows[0]?.dataDirectory ?? ''
  return ['base', 'global'].flatMap((name) => listFiles(join(folder, name)))
}

function listFiles(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)))
  return entries.filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
}

function holdsCanary(path: string): boolean {
  return readFileSync(path).includes(CANARY)
}

function tellRedis(...args: string[]): string {
  return execFileSync('redis-cli', ['-p', String(redis.port), ...args], { encoding: 'utf8' })
}

/** The data that Redis would write to disk, uncompressed. */
function dumpRedis(): string {
  tellRedis('config', 'set', 'rdbcompression', 'no')
  tellRedis('save')
  const [, folder = ''] = tellRedis('config', 'get', 'dir').split('\n')
  return readFileSync(join(folder, 'dump.rdb'), 'latin1')
}

/**
 * Starts the API and maintenance, which begins with all of its steps. When a busy machine delays them, the next hour
 * starts at once.
 */
async function keepUp(port: number): Promise<void> {
  for (let hour = 0; hour < 3; hour++) {
    const [api, maintenance] = await Promise.all([startApiProcess(settings, port), startMaintenanceProcess(settings)])
    try {
      await vi.waitFor(() => expect(listFiles(uploads)).toEqual([]), WITHIN)
      if (!dumpTables().includes(CANARY)) break
    } catch {
      // not yet complete: the expectations of the test cover the state after the last run
    }
    await maintenance.stop()
    if (hour < 2) await api.stop()
  }
}

test('an address that passed through the whole service is stored nowhere after its retention', async () => {
  const [api, worker] = await Promise.all([startApiProcess(settings), startWorkerProcess(settings)])
  const apiClient = await createApiClient({ db, api })
  const { openId } = await useService(apiClient, api.url)
  const tables = dumpTables()
  for (const table of ['validations', 'idempotency_records', 'uncollected_results', 'webhook_events']) {
    const rows = tables.split(`COPY public.${table}`).slice(1)
    expect([table, rows.some((text) => text.slice(0, text.indexOf('\n\\.')).includes(CANARY))]).toEqual([table, true])
  }
  const [job] = await asOwner(db, (trx) => trx.selectFrom('jobs').select('id').execute())
  expect((await listTestResults(db, job?.id ?? '')).map(({ email }) => email)).toContain(EMAIL)
  const blocks = await listBlocks(apiClient.accountId)
  expect(blocks.every((block) => tables.includes(block.toString('hex')))).toBe(true)
  expect(listFiles(uploads).filter(holdsCanary).length).toBeGreaterThanOrEqual(2)
  // Redis stores that a recent result exists, but no address.
  expect(dumpRedis()).toContain('recent:')
  expect(dumpRedis()).not.toContain(CANARY)

  await Promise.all([api.stop(), worker.stop()])
  await letExpire(db, apiClient.accountId)
  await keepUp(api.port)
  execFileSync('psql', [postgres.url, '-c', 'vacuum full', '-c', 'checkpoint'])

  expect(dumpTables()).not.toContain(CANARY)
  const files = await listTableFiles()
  expect(files.filter(holdsCanary)).toEqual([])
  expect(await listBlocks(apiClient.accountId)).toEqual([])
  expect(files.filter((file) => blocks.some((block) => readFileSync(file).includes(block)))).toEqual([])
  expect(dumpRedis()).not.toContain(CANARY)
  expect([...listFiles(inject('logFolder')), postgres.logFile].filter(holdsCanary)).toEqual([])
  const { body } = await apiClient.call('GET', '/bulk/jobs')
  expect(body).toMatchObject([{ status: 'completed', filename: 'list.csv' }]) // the summary is kept
  const refunded = await asOwner(db, (trx) =>
    trx.selectFrom('ledger').select('kind').where('subject', '=', openId).where('kind', '=', 'refund').execute(),
  )
  expect(refunded.length).toBe(1) // it was never completed, so it was refunded before its deletion
  expect(await asOwner(db, (trx) => listLedgerMismatches(trx, { all: true }))).toEqual([])
}, 600_000)
