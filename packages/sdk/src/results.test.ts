import { expect, test } from 'vitest'
import { type JobResult, ProbityConnectionError, ProbityTimeoutError } from './probity.ts'
import { failureOf, refuse, startService } from './test-service.ts'

const line = (row: number) => `${JSON.stringify({ row, email: `person${row}@example.com` })}\n`
const lines = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => line(from + n)).join('')

async function rowsOf(results: AsyncIterable<JobResult>): Promise<number[]> {
  const rows: number[] = []
  for await (const { row } of results) rows.push(row)
  return rows
}

test('results are read as they come, with one request for all of them', async () => {
  const { probity, received } = await startService((_n, reply) => void reply.end(lines(2, 1_001)))
  const options = { status: ['valid', 'risky'], evidence: true }
  expect(await rowsOf(probity.lists.results('list', options))).toHaveLength(1_000)
  expect(received.map(({ path }) => path)).toEqual([
    '/api/v1/bulk/jobs/list/results?status=valid%2Crisky&evidence=true&format=ndjson',
  ])
})

test('every filter goes over the wire, and one result is asked for by its row', async () => {
  const { probity, received } = await startService((_n, _reply, { path }) => (path.endsWith('/7') ? { row: 7 } : []))
  const filter = {
    subStatus: ['catch_all', 'disposable'],
    provider: '',
    domain: 'example.com',
    search: 'a+b',
    preset: 'safest',
  }
  await probity.lists.resultPage('list', { ...filter, limit: 5 })
  expect(await probity.lists.result('list', 7)).toEqual({ row: 7 })
  expect(received.map(({ path }) => path)).toEqual([
    '/api/v1/bulk/jobs/list/results?sub_status=catch_all%2Cdisposable&provider=&domain=example.com&search=a%2Bb&preset=safest&limit=5',
    '/api/v1/bulk/jobs/list/results/7',
  ])
})

test('where they break off they are read on, with no row left out and none met twice', async () => {
  const { probity, received } = await startService((n, reply) => {
    if (n === 0) reply.write(lines(2, 5) + line(6).slice(0, 9), () => reply.destroy())
    if (n === 1) refuse(reply, 503, 'overloaded', { 'retry-after': '0' })
    if (n === 2) reply.end(lines(2, 8))
  })
  expect(await rowsOf(probity.lists.results('list'))).toEqual([2, 3, 4, 5, 6, 7, 8])
  expect(received).toHaveLength(3)
})

test('results that never come any further are an error in the end', async () => {
  const { probity, received } = await startService((_n, reply) => void reply.write(line(2), () => reply.destroy()))
  expect(await failureOf(rowsOf(probity.lists.results('list')))).toBeInstanceOf(ProbityConnectionError)
  expect(received).toHaveLength(4)
})

test('a list without results has none', async () => {
  const { probity } = await startService((_n, reply) => void reply.end())
  expect(await rowsOf(probity.lists.results('list'))).toEqual([])
})

test('where the platform has no streams, a download comes as a whole', async () => {
  const own: typeof fetch = async (...args) => {
    const text = await (await fetch(...args)).text()
    return Object.defineProperty(new Response(text), 'body', { value: null })
  }
  const { probity } = await startService((n, reply) => void reply.end(n === 0 ? lines(2, 3) : ''), { fetch: own })
  expect(await rowsOf(probity.lists.results('list'))).toEqual([2, 3])
  expect(await rowsOf(probity.lists.results('list'))).toEqual([])
})

test('a break ends the download', async () => {
  let isClosed = false
  const { probity } = await startService((_n, reply) => {
    reply.on('close', () => (isClosed = true)).write(lines(2, 3))
  })
  for await (const { row } of probity.lists.results('list')) if (row === 3) break
  await expect.poll(() => isClosed).toBe(true)
})

test('a download is passed on as it comes', async () => {
  let goOn = () => {}
  const { probity, received } = await startService((_n, reply) => {
    reply.write('first')
    goOn = () => void reply.end('second')
  })
  const stream = await probity.lists.download('list', { format: 'csv', bom: true, formulaSafe: false })
  const reader = stream.getReader()
  expect(new TextDecoder().decode((await reader.read()).value)).toBe('first')
  goOn()
  expect(new TextDecoder().decode((await reader.read()).value)).toBe('second')
  expect((await reader.read()).done).toBe(true)
  expect(received[0]?.path).toBe('/api/v1/bulk/jobs/list/results?format=csv&bom=true&formula_safe=false')
})

test('a download that breaks off ends in an error, and not as if it were whole', async () => {
  const { probity } = await startService((_n, reply) => {
    reply.write('half', () => setTimeout(() => reply.destroy(), 20))
  })
  const stream = await probity.lists.download('list', { format: 'csv' })
  const failure = await failureOf(new Response(stream).text())
  expect(failure).toBeInstanceOf(ProbityConnectionError)
  expect((failure as Error).message).toContain('not the whole')
})

test('a download may take its time, but not stand still', async () => {
  const { probity } = await startService(
    async (n, reply) => {
      for (let piece = 0; piece < 6; piece++) {
        reply.write('piece')
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      if (n === 0) reply.end()
    },
    { timeoutMs: 200 },
  )
  const whole = await new Response(await probity.lists.download('list', { format: 'csv' })).text()
  expect(whole).toBe('piece'.repeat(6))
  const stalled = await probity.lists.download('list', { format: 'csv', silenceMs: 200 })
  expect(await failureOf(new Response(stalled).text())).toBeInstanceOf(ProbityTimeoutError)
})

test('an abort reaches a download that has long begun', async () => {
  let isClosed = false
  const { probity } = await startService((_n, reply) => {
    reply.on('close', () => (isClosed = true)).write('half')
  })
  const controller = new AbortController()
  const reader = (await probity.lists.download('list', { format: 'csv', signal: controller.signal })).getReader()
  await reader.read()
  controller.abort()
  expect(await failureOf(reader.read())).toBe(controller.signal.reason)
  await expect.poll(() => isClosed).toBe(true)
})

test('whoever has had enough of a download ends it', async () => {
  let isClosed = false
  const { probity } = await startService((_n, reply) => {
    reply.on('close', () => (isClosed = true)).write('half')
  })
  await (await probity.lists.download('list', { format: 'csv' })).cancel()
  await expect.poll(() => isClosed).toBe(true)
})
