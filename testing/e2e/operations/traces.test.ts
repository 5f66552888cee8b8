import { createTestDatabase } from '@probity/database/connection/test-database'
import { startRedis } from '@probity/lab/services/redis'
import { whenDone } from '@probity/lab/when-done'
import { startCollector } from '@probity/telemetry/test-collector'
import { expect, test } from 'vitest'
import { createApiClient } from '../environment/instance.ts'
import { confirmList, listSettings, startListWorker, startTestSimulation } from '../environment/jobs.ts'
import { startApiProcess } from '../environment/processes.ts'

const [database, redis, simulation, collector] = await Promise.all([
  createTestDatabase(),
  startRedis(),
  startTestSimulation(50),
  startCollector(),
])
whenDone(() => Promise.all([redis.stop(), collector.stop()]))
const settings = {
  ...listSettings(database.url, redis.url),
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
  OTEL_TRACES_SAMPLER_ARG: '1',
}
const [api] = await Promise.all([startApiProcess(settings), startListWorker(settings, simulation)])
const apiClient = await createApiClient({ db: database.db, api })
const drawn = simulation.draw(5)

const ROUTE = 'POST /api/v1/validation/single'

test('one trace shows a validation from the request through the queue to DNS, the mail server and the settlement', async () => {
  await Promise.all(drawn.map(({ email }) => apiClient.call('POST', '/validation/single', { email })))
  const traces = () =>
    [...Map.groupBy(collector.spans, ({ traceId }) => traceId).values()].filter((spans) =>
      spans.some(({ name }) => name === ROUTE),
    )
  const names = () => traces().map((spans) => spans.map(({ name }) => name).toSorted())
  const whole = [ROUTE, 'charge', 'dns', 'process', 'queue', 'settle', 'smtp', 'validate']
  await expect.poll(names, { timeout: 15_000 }).toEqual(drawn.map(() => whole))

  for (const spans of traces()) {
    const of = new Map(spans.map((span) => [span.name, span]))
    const parentOf = (name: string) => spans.find(({ spanId }) => spanId === of.get(name)?.parentSpanId)?.name
    expect(of.get(ROUTE)?.parentSpanId ?? '').toBe('')
    for (const name of ['charge', 'queue', 'process']) expect(parentOf(name)).toBe(ROUTE)
    for (const name of ['validate', 'settle']) expect(parentOf(name)).toBe('process')
    for (const name of ['dns', 'smtp']) expect(parentOf(name)).toBe('validate')
    expect([of.get(ROUTE)?.service, of.get('process')?.service]).toEqual(['probity-api', 'probity-worker'])
  }
})

test('a job batch has its own trace', async () => {
  await confirmList(api.url, apiClient, simulation.draw(10))
  const ofBatch = () => {
    const traceId = collector.spans.find(({ name }) => name === 'batch')?.traceId
    return collector.spans.filter((span) => span.traceId === traceId && traceId !== undefined).map(({ name }) => name)
  }
  await expect.poll(() => ofBatch().toSorted(), { timeout: 15_000 }).toEqual(['batch', 'settle', 'validate'])
})

test('traces contain no address, domain, account, key or reply text', () => {
  const sent = collector.bodies.join('\n')
  expect(sent).toContain('smtp.replies')
  for (const { email } of simulation.running.simulation.addresses) {
    expect(sent).not.toContain(email)
    expect(sent).not.toContain(email.slice(email.indexOf('@') + 1))
  }
  for (const secret of [apiClient.accountId, apiClient.keyId, apiClient.key, '5.1.1'])
    expect(sent).not.toContain(secret)
})

test('trace headers of clients are ignored', async () => {
  const traceId = 'a'.repeat(32)
  await apiClient.call('GET', '/account', undefined, { traceparent: `00-${traceId}-${'b'.repeat(16)}-01` })
  const seen = () => collector.spans.filter(({ name }) => name === 'GET /api/v1/account')
  await expect.poll(seen, { timeout: 15_000 }).toHaveLength(1)
  expect(seen()[0]?.traceId).not.toBe(traceId)
})
