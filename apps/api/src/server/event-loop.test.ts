import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { MESSAGES_PER_REPORT_MAX } from '@probity/contract/constants/limits'
import { parseAddress } from '@probity/engine/address/parse'
import { expect, test } from 'vitest'
import { startTestApi, type TestClient } from '../testing/test-api.ts'
import { longInternationalAddresses } from '../testing/test-long-addresses.ts'

const api = await startTestApi()
/** Enough to take most of a second to read; the timed test has the maximum of a report. */
const REPORTED = 3_000
const headers = { 'content-type': 'application/json' }

function reportOf(count: number): string {
  const messages = longInternationalAddresses(count).map((email) => ({ email, delivery: 'delivered' }))
  return JSON.stringify({ messages })
}

test('the long addresses of these tests are valid', () => {
  const longest = longInternationalAddresses(MESSAGES_PER_REPORT_MAX).at(-1) ?? ''
  expect(parseAddress(longest)).toMatchObject({ kind: 'address' })
})

test('requests are served while a report of 3,000 long addresses is read', async () => {
  // In test mode nothing is stored, so that all of the time is spent on reading.
  const { call } = await api.openCaller({ key: { mode: 'test' } })
  const payload = reportOf(REPORTED)
  let isOver = false
  const report = call({ method: 'POST', url: '/api/v1/feedback', headers, payload }).finally(() => {
    isOver = true
  })
  let served = 0
  while (!isOver) {
    const { statusCode } = await api.app.inject('/livez')
    if (statusCode === 200) served++
    await nextTurn()
  }
  expect((await report).body).toMatchObject({ counted: { delivered: REPORTED, bounced: 0 } })
  // One turn of the event loop serves one of these requests. If the report were read in one turn, only some dozens would be served.
  expect(served).toBeGreaterThan(500)
})

/** Longest delay of the event loop while a client's request was processed. */
async function measureDelay(
  { call }: TestClient,
  url: string,
  body: object,
): Promise<{ status: number; delayMs: number }> {
  const payload = JSON.stringify(body)
  await nextTurn()
  const histogram = monitorEventLoopDelay({ resolution: 5 })
  histogram.enable()
  const { status } = await call({ method: 'POST', url, headers, payload })
  await nextTurn()
  histogram.disable()
  return { status, delayMs: histogram.max / 1e6 }
}

const DELAY_MS_MAX = 200

test.each([
  ['POST /feedback with 10,000 messages', '/api/v1/feedback', () => JSON.parse(reportOf(10_000))],
  ['POST /validation/bulk with 1,000 addresses', '/api/v1/validation/bulk', () => bulkOf(1_000)],
  ['POST /overrides with 1,000 targets', '/api/v1/overrides', () => overridesOf(1_000)],
])('%s delays other requests by at most 200 ms', { tags: ['timed'] }, async (_, url, bodyOf) => {
  const caller = await api.openCaller({ credits: 10_000 })
  const warm = await measureDelay(caller, url, url.endsWith('feedback') ? JSON.parse(reportOf(200)) : bodyOf())
  expect(warm.status).toBe(200)
  const { status, delayMs } = await measureDelay(await api.openCaller({ credits: 10_000 }), url, bodyOf())
  expect(status).toBe(200)
  expect(delayMs).toBeLessThan(DELAY_MS_MAX)
})

function bulkOf(count: number): object {
  return { emails: longInternationalAddresses(count), timeout: 1 }
}

function overridesOf(count: number): object {
  return { action: 'block', targets: longInternationalAddresses(count) }
}
