import { whenDone } from '@probity/lab/when-done'
import { expect, test, vi } from 'vitest'
import { NO_SPAN } from './span.ts'
import { startCollector } from './test-collector.ts'
import { openTraces } from './traces.ts'

const collector = await startCollector()
whenDone(() => collector.stop())
const PROCESS = { kind: 'api', version: '1.2.3' } as const

test('spans of two processes are one trace', { tags: ['timed'] }, async () => {
  const settings = { url: collector.url, headers: { 'x-secret': 'word' }, share: 1 }
  const [one, other] = await Promise.all([
    openTraces(settings, PROCESS),
    openTraces(settings, { ...PROCESS, kind: 'worker' }),
  ])
  const request = one.begin('request', { kind: 'server', attributes: { a: 1 } })
  const work = other.begin('process', { parent: request.traceparent ?? '', at: Date.now() - 1_000 })
  work.begin('part').end()
  work.end()
  request.end()
  await Promise.all([one.stop(), other.stop()])

  const spans = new Map(collector.spans.map((span) => [span.name, span]))
  expect([...spans.keys()].toSorted()).toEqual(['part', 'process', 'request'])
  expect(new Set(collector.spans.map(({ traceId }) => traceId)).size).toBe(1)
  expect(spans.get('process')?.parentSpanId).toBe(spans.get('request')?.spanId)
  expect(spans.get('part')?.parentSpanId).toBe(spans.get('process')?.spanId)
  expect(spans.get('process')).toMatchObject({ service: 'probity-worker' })
  expect(spans.get('process')?.ms).toBeGreaterThan(900)
  expect(collector.headers[0]?.['x-secret']).toBe('word')
})

test('traces that are not sampled have no spans', async () => {
  const before = collector.spans.length
  const traces = await openTraces({ url: collector.url, headers: {}, share: 0 }, PROCESS)
  const span = traces.begin('request')
  expect(span).toBe(NO_SPAN)
  expect(span.begin('part').traceparent).toBeUndefined()
  await traces.stop()
  expect(collector.spans).toHaveLength(before)
})

test('stop returns in time when the collector is down', { tags: ['timed'], timeout: 10_000 }, async () => {
  const traces = await openTraces({ url: 'http://127.0.0.1:1/v1/traces', headers: {}, share: 1 }, PROCESS)
  for (let n = 0; n < 5_000; n += 1) traces.begin('request').end()
  const began = performance.now()
  await traces.stop()
  await vi.waitFor(() => expect(performance.now() - began).toBeLessThan(8_000))
})
