import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { openSync, readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { resultNoOf } from '@probity/contract/constants/jobs'
import { asOwner } from '@probity/database/connection/connect'
import { changeTestResults } from '@probity/database/jobs/results/test-results'
import { COMPILED } from '@probity/lab/compiled'
import { freePort, stopChild } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { sql } from 'kysely'
import { expect, inject, test, vi } from 'vitest'
import { resultsWithin } from '../../jobs/results/results.ts'
import { previewUpload } from '../../jobs/uploads/preview.ts'
import { startTestApi, type TestApi, type TestClient } from '../../testing/test-api.ts'
import { keepList, keepResults } from '../../testing/test-results.ts'
import { EXPORT_LIMITS, type ExportLimits } from './send-export.ts'

type Listening = TestApi & { port: number }

async function startListening(limits: Partial<ExportLimits> = {}): Promise<Listening> {
  const routes = [previewUpload, resultsWithin({ ...EXPORT_LIMITS, ...limits })]
  const api = await startTestApi({ routes })
  await api.app.listen({ host: '127.0.0.1', port: 0 })
  return { ...api, port: (api.app.server.address() as AddressInfo).port }
}

/** Requests an export and waits for the response head. The body is not read until the test does. */
function open({ port }: { port: number }, { key }: TestClient, path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-api-key': key }
    const asked = request({ host: '127.0.0.1', port, path, headers, agent: false }, resolve)
    whenDone(() => asked.destroy()) // the API waits for its clients when it closes
    asked.on('error', reject)
    asked.end()
  })
}

const pathOf = (jobId: string, query: string) => `/api/v1/bulk/jobs/${jobId}/results?${query}`

const FAT_ROWS = 4_000
const FAT_DETAIL_UNITS = 8_000

/** A job whose NDJSON with evidence exceeds the socket buffers of a connection. */
async function keepFatList(api: TestApi, by: TestClient): Promise<string> {
  const emails = Array.from({ length: FAT_ROWS }, (_, n) => `v${n}@example.com`)
  const jobId = await keepList(api, { content: `email\n${emails.join('\n')}\n`, by })
  const detail = 'x'.repeat(FAT_DETAIL_UNITS)
  await changeTestResults(api.db, jobId, (result) => {
    return { ...result, evidence: result.evidence.map((one) => ({ ...one, detail })) }
  })
  return pathOf(jobId, 'format=ndjson&evidence=true')
}

/** Waits until the API has sent PostgreSQL no query for a second: an export that waits for its client is idle. */
async function untilQuiet({ db }: TestApi): Promise<void> {
  await vi.waitFor(
    async () => {
      const { rows } = await asOwner(db, (trx) =>
        sql<{
          quiet: boolean
        }>`select coalesce(max(query_start) < clock_timestamp() - interval '1 second', true) as quiet
          from pg_stat_activity where application_name = 'probity-api' and datname = current_database()
            and query ilike '%job%'`.execute(trx),
      )
      expect(rows[0]?.quiet).toBe(true)
    },
    { timeout: 60_000, interval: 200 },
  )
}

const LONG = 300_000

// Node delays garbage collection while there is memory, so the heap is small: the measurement then shows the memory in use.
const LITTLE_ROOM = ['--max-old-space-size=128', '--max-semi-space-size=4']

/** Starts the API as a separate process on the same database and files, so that its memory is measured alone. */
async function startProcess({ url, config }: TestApi): Promise<{ port: number; pid: number }> {
  const port = await freePort()
  const env = {
    ...COMPILED,
    DATABASE_URL: url,
    REDIS_URL: config.redisUrl,
    UPLOADS_FOLDER: config.storage.folder,
    PORT: String(port),
    LOG_LEVEL: 'warn',
    STOP_NOTICE_MS: '0',
  }
  const log = openSync(join(inject('logFolder'), `export-${randomUUID()}.log`), 'a') // the folder that the run searches for secrets
  const child = spawn(process.execPath, [...LITTLE_ROOM, join(import.meta.dirname, '../../server/main.ts')], {
    stdio: ['ignore', log, log],
    env,
  })
  whenDone(() => stopChild(child, 'SIGTERM'))
  await vi.waitFor(async () => expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200), {
    timeout: 60_000,
    interval: 200,
  })
  return { port, pid: child.pid ?? 0 }
}

/** Memory of a process in megabytes: current (VmRSS) or peak (VmHWM). */
function readMemory(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1_000
}

test('a CSV of 100,000 rows takes at most 64 MB of memory', { tags: ['long'], timeout: LONG }, async () => {
  const api = await startTestApi()
  const caller = await api.openCaller()
  const rows = Array.from({ length: 100_000 }, (_, n) => `Person Number ${n},v${n}@example.com,some text to fill it`)
  const jobId = await keepList(api, { content: `name,email,note\n${rows.join('\n')}\n`, by: caller, isOrdered: true })
  const small = await keepList(api, { content: `email\nvera@example.com\n`, by: caller })
  const running = await startProcess(api)
  await text(await open(running, caller, pathOf(small, 'format=csv')))
  const before = readMemory(running.pid, 'VmRSS')
  let lines = 0
  for await (const chunk of await open(running, caller, pathOf(jobId, 'format=csv'))) {
    for (const byte of chunk as Buffer) if (byte === 10) lines++
  }
  expect(lines).toBe(100_001)
  expect(Math.round(readMemory(running.pid, 'VmHWM') - before)).toBeLessThanOrEqual(64)
})

test(
  'results are read at the pace of the client, and deleting the job interrupts the export',
  async () => {
    const api = await startListening()
    const caller = await api.openCaller()
    const path = await keepFatList(api, caller)
    const jobId = path.split('/')[5] ?? ''
    const [first, second] = [await open(api, caller, path), await open(api, caller, path)]
    await untilQuiet(api)
    await keepResults(api, jobId, [{ rowNo: resultNoOf(1_000_000, 0), email: 'vlast@example.com' }])
    expect((await text(first)).split('\n').at(-2)).toContain('"email":"vlast@example.com","row":1000000,')

    await asOwner(api.db, async (trx) => {
      await sql`delete from result_chunks where job_id = ${jobId}`.execute(trx)
      await sql`delete from jobs where id = ${jobId}`.execute(trx)
    })
    await expect(text(second)).rejects.toThrow('aborted')
  },
  LONG,
)

test(
  'two accounts with the maximum number of exports leave a slot for a third',
  async () => {
    const api = await startListening()
    const [one, other, third] = [await api.openCaller(), await api.openCaller(), await api.openCaller()]
    const [path, otherPath, thirdPath] = [
      await keepFatList(api, one),
      await keepFatList(api, other),
      await keepFatList(api, third),
    ]
    const status = async (by: TestClient, from: string) => (await open(api, by, from)).statusCode
    const inside = await Promise.all([open(api, one, path), open(api, one, path), open(api, one, path)])
    expect(inside.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
    expect(await status(one, path)).toBe(503)

    expect(await status(other, otherPath)).toBe(200)
    const refused = await open(api, other, otherPath)
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '5'])
    expect(JSON.parse(await text(refused))).toMatchObject({ code: 'overloaded', retry_after_s: 5 })
    expect(await status(other, otherPath.replace('ndjson', 'json'))).toBe(200) // a page does not count as an export

    for (let n = 0; n < 10; n++) expect([await status(one, path), await status(other, otherPath)]).toEqual([503, 503])
    expect(await status(third, thirdPath)).toBe(200)

    inside[0]?.destroy()
    inside[1]?.destroy()
    await vi.waitFor(async () => expect(await status(other, otherPath)).toBe(200), { timeout: 30_000 })
  },
  LONG,
)

test(
  'an export ends when its client reads below the minimum rate, even steadily',
  async () => {
    const api = await startListening({ bytesPerSecondMin: 50_000_000, graceMs: 300 })
    const caller = await api.openCaller()
    const path = await keepFatList(api, caller)
    const steady = async () => {
      let bytes = 0
      for await (const chunk of await open(api, caller, path)) {
        bytes += (chunk as Buffer).length
        await sleep(50)
      }
      return bytes
    }
    await expect(steady()).rejects.toThrow('aborted')
    expect((await text(await open(api, caller, path))).split('\n')).toHaveLength(FAT_ROWS + 1)
  },
  LONG,
)

test('a client that stops reading is disconnected and frees its slot; one that reads slowly gets the whole export', {
  tags: ['timed'],
  timeout: LONG,
}, async () => {
  const api = await startListening({ atOnceMax: 1, stallMs: 2_000 })
  const caller = await api.openCaller()
  const path = await keepFatList(api, caller)
  const asleep = await open(api, caller, path)
  expect(asleep.statusCode).toBe(200)
  expect((await open(api, caller, path)).statusCode).toBe(503)

  let slow = asleep
  await vi.waitFor(
    async () => {
      slow = await open(api, caller, path)
      expect(slow.statusCode).toBe(200)
    },
    { timeout: 60_000, interval: 250 },
  )
  await expect(text(asleep)).rejects.toThrow('aborted')

  const began = performance.now()
  let lines = 0
  for await (const chunk of slow) {
    for (const byte of chunk as Buffer) if (byte === 10) lines++
    await sleep(15)
  }
  expect(lines).toBe(FAT_ROWS)
  expect(performance.now() - began).toBeGreaterThan(4_000) // otherwise the client was not slow enough
})

test(
  'an export ends at its time limit, however steadily the client reads',
  async () => {
    const api = await startListening({ wholeMs: 1_500 })
    const caller = await api.openCaller()
    const response = await open(api, caller, await keepFatList(api, caller))
    await sleep(1_500)
    await expect(text(response)).rejects.toThrow('aborted')
  },
  LONG,
)
