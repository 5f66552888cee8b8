import { randomUUID } from 'node:crypto'
import { inTenant } from '@probity/database/connection/connect'
import { openTestAccount } from '@probity/database/connection/test-database'
import { countOutcomes } from '@probity/database/feedback/outcomes'
import { reportOf, testOutcome } from '@probity/database/feedback/test-outcomes'
import { keepFindings } from '@probity/database/operators/doctor'
import { recordBackup } from '@probity/database/system/backups'
import { recordProcess } from '@probity/database/system/processes'
import { whenDone } from '@probity/lab/when-done'
import { expect, test } from 'vitest'
import { startTestApi } from '../../testing/test-api.ts'
import { serveApiMetrics } from './serve.ts'

const { db, app, services, config, openCaller } = await startTestApi({ config: { inFlightMax: 3 } })
const served = await serveApiMetrics(services, config, { host: '127.0.0.1', port: 0 })
whenDone(() => served.stop())
const place = `http://127.0.0.1:${served.address.port}`

async function read(): Promise<string> {
  const answer = await fetch(`${place}/metrics`)
  expect(answer.headers.get('content-type')).toContain('text/plain')
  return answer.text()
}

// First, because database readings are cached.
test('/metrics has the gauges of the installation', async () => {
  await openTestAccount(db, 500)
  await recordBackup(db, { madeAt: new Date('2026-11-01T00:00:00Z'), bytes: 1, sha256: '' })
  await keepFindings(db, 'a-host', [
    { check: 'port-25', subject: 'a-name', status: 'fail', saw: 'No response.', fix: null },
  ])
  await recordProcess(db, {
    id: randomUUID(),
    kind: 'worker',
    version: '0',
    facts: { probing: { mode: 'dns', reason: 'no_helo_name' } },
  })
  const text = await read()

  expect(text).toContain('probity_doctor_findings{status="fail"} 1\n')
  expect(text).toContain('probity_doctor_findings{status="warn"} 0\n')
  expect(text).toContain('probity_probing 0\n')
  expect(text).toMatch(/probity_processes\{kind="api"\} 1\n/)
  expect(text).toMatch(/probity_processes\{kind="worker"\} 1\n/)
  expect(text).toContain('probity_queue_waiting{queue="interactive"} 0\n')
  expect(text).toContain('probity_queue_oldest_seconds{queue="jobs"} 0\n')
  expect(text).toContain('probity_credits{state="available"} 500\n')
  expect(text).toContain('probity_last_backup_timestamp_seconds 1793491200\n')
  expect(text).toContain('probity_migrations_missing 0\n')
  expect(text).toMatch(/probity_ledger_reconciled_until_timestamp_seconds \d{10}/)
  expect(text).toContain('probity_tasks{queue="batches",state="waiting"} 0\n')
  expect(text).toContain('probity_postgres_up 1\n')
  expect(text).toContain('probity_redis_up 1\n')
  expect(text).toMatch(/probity_uploads_disk_bytes\{state="free"\} \d+/)
  expect(text).toContain('probity_request_log_dropped_total 0\n')
  expect(text).toMatch(/probity_build_info\{kind="api",version="[^"]+",node="v24[^"]+"\} 1\n/)
})

test('requests are counted by route pattern, not by URL', async () => {
  const { call } = await openCaller()
  await call({ method: 'GET', url: '/api/v1/bulk/jobs/01890a5d-ac96-774b-bcce-b302099a8057' })
  await app.inject({ method: 'GET', url: '/made-up?email=ann@firm.example' })
  await app.inject({ method: 'GET', url: '/api/v1/account' })
  const text = await read()

  expect(text).toMatch(
    /probity_http_requests_total\{method="GET",route="\/api\/v1\/bulk\/jobs\/:\w+",status="4xx"\} 1\n/,
  )
  expect(text).toContain('probity_http_requests_total{method="GET",route="none",status="4xx"} 1\n')
  expect(text).toContain('probity_http_problems_total{code="missing_api_key"} 1\n')
  expect(text).toMatch(/probity_http_request_duration_seconds_count\{route="\/api\/v1\/account"\} 1\n/)
  expect(text).toContain('probity_http_requests_in_flight 0\n')
  expect(text).not.toMatch(/01890a5d|firm\.example|made-up/)
})

test('shed load is counted', async () => {
  await Promise.all(Array.from({ length: 10 }, () => app.inject({ method: 'GET', url: '/api/v1/account' })))
  const text = await read()
  expect(Number(/probity_http_problems_total\{code="overloaded"\} (\d+)/.exec(text)?.[1])).toBeGreaterThan(0)
})

test('prediction gauges cover all accounts', async () => {
  for (const [n, outcome] of [
    [300, 'delivered'],
    [300, 'bounced'],
  ] as const) {
    const { id } = await openTestAccount(db, 0)
    const outcomes = Array.from({ length: n }, (_, k) => testOutcome(`a${k}@firm.example`, { outcome }))
    await inTenant(db, id, (trx) => countOutcomes(trx, id, reportOf(outcomes)))
  }
  await expect
    .poll(read, { timeout: 10_000 })
    .toContain('probity_prediction_outcomes{provider="google",kind="weighed"} 600\n')
  const text = await read()

  expect(text).toMatch(/probity_prediction_ece\{provider="google",kind="weighed"\} 0\.35/)
  expect(text).toMatch(/probity_prediction_brier\{provider="google",kind="weighed"\} 0\.37/)
  expect(text).toContain('probity_prediction_fallback{provider="google",kind="weighed"} 1\n')
  expect(text).not.toContain('firm.example')
})

test('the metrics port serves /metrics only', async () => {
  for (const path of ['/', '/api/v1/model', '/metrics/more']) expect((await fetch(`${place}${path}`)).status).toBe(404)
  expect((await fetch(`${place}/metrics`, { method: 'POST' })).status).toBe(404)
})
