import { inTenant } from '@probity/database/connect'
import { countOutcomes } from '@probity/database/outcomes'
import { createTestDatabase, openTestAccount } from '@probity/database/test-database'
import { reportOf, testOutcome } from '@probity/database/test-outcomes'
import { whenDone } from '@probity/lab/when-done'
import { expect, test } from 'vitest'
import { openLog } from './log.ts'
import { serveMetrics } from './metrics.ts'

const { db } = await createTestDatabase()
const metrics = await serveMetrics(db, openLog('silent'), { host: '127.0.0.1', port: 0 })
whenDone(() => metrics.stop())
const place = `http://127.0.0.1:${metrics.address.port}`

test('says how well predictions hold, over all accounts', async () => {
  for (const [n, outcome] of [
    [300, 'delivered'],
    [300, 'bounced'],
  ] as const) {
    const { id } = await openTestAccount(db, 0)
    const outcomes = Array.from({ length: n }, (_, k) => testOutcome(`a${k}@firm.example`, { outcome }))
    await inTenant(db, id, (trx) => countOutcomes(trx, id, reportOf(outcomes)))
  }
  const answer = await fetch(`${place}/metrics`)
  const text = await answer.text()

  expect(answer.headers.get('content-type')).toContain('text/plain')
  expect(text).toContain('probity_prediction_outcomes{provider="google",kind="weighed"} 600\n')
  expect(text).toMatch(/probity_prediction_ece\{provider="google",kind="weighed"\} 0\.35/)
  expect(text).toMatch(/probity_prediction_brier\{provider="google",kind="weighed"\} 0\.37/)
  expect(text).toContain('probity_prediction_fallen_back{provider="google",kind="weighed"} 1\n')
  expect(text).not.toContain('firm.example')
})

test('serves nothing else', async () => {
  for (const path of ['/', '/api/v1/model', '/metrics/more']) expect((await fetch(`${place}${path}`)).status).toBe(404)
  expect((await fetch(`${place}/metrics`, { method: 'POST' })).status).toBe(404)
})
