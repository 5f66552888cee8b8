import { expect, test } from 'vitest'
import { ConnectionError, type JobResult, TimeoutError } from './probity.ts'
import { failureOf, refuse, startService } from './test-service.ts'

const line = (row: number) => `${JSON.stringify({ row, position: 1, email: `person${row}@example.com` })}\n`
const lines = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => line(from + n)).join('')

async function rowsOf(results: AsyncIterable<JobResult>): Promise<number[]> {
  const rows: number[] = []
  for await (const { row } of results) rows.push(row)
  return rows
}

test('jobs.results.list iterates with one download', async () => {
  const { probity, received } = await startService((_n, reply) => void reply.end(lines(2, 1_001)))
  const options = { status: ['valid', 'risky'], evidence: true, sort: 'status' } as const
  expect(await rowsOf(probity.jobs.results.list('list', options))).toHaveLength(1_000)
  expect(received.map(({ path }) => path)).toEqual([
    '/api/v1/bulk/jobs/list/results?status=valid%2Crisky&evidence=true&format=ndjson',
  ])
})

test('jobs.results.list sends every filter, and get reads one result by its row and position', async () => {
  const { probity, received } = await startService((_n, _reply, { path }) => (path.endsWith('/7') ? { row: 7 } : []))
  const filter = {
    subStatus: ['catch_all', 'disposable'],
    provider: '',
    domain: 'example.com',
    search: 'a+b',
    rows: [2, 5],
    preset: 'safest',
  }
  await probity.jobs.results.list('list', { ...filter, sort: '-deliverability', limit: 5 })
  expect(await probity.jobs.results.get('list', 7)).toEqual({ row: 7 })
  await probity.jobs.results.get('list', 7, { position: 2 })
  expect(received.map(({ path }) => path)).toEqual([
    '/api/v1/bulk/jobs/list/results?sub_status=catch_all%2Cdisposable&provider=&domain=example.com&search=a%2Bb&rows=2%2C5&preset=safest&sort=-deliverability&limit=5',
    '/api/v1/bulk/jobs/list/results/7',
    '/api/v1/bulk/jobs/list/results/7?position=2',
  ])
})

test('an iteration that is cut off continues after the last row', async () => {
  const { probity, received } = await startService((n, reply) => {
    if (n === 0) reply.write(lines(2, 5) + line(6).slice(0, 9), () => reply.destroy())
    if (n === 1) refuse(reply, 503, 'overloaded', { 'retry-after': '0' })
    if (n === 2) reply.end(lines(2, 8))
  })
  expect(await rowsOf(probity.jobs.results.list('list'))).toEqual([2, 3, 4, 5, 6, 7, 8])
  expect(received).toHaveLength(3)
})

test('an iteration that is cut off within a row continues after the last position', async () => {
  const line = (row: number, position: number) => `${JSON.stringify({ row, position })}\n`
  const all = [line(2, 1), line(2, 2), line(2, 4), line(3, 1)]
  const { probity, received } = await startService((n, reply) => {
    if (n === 0) reply.write(all.slice(0, 2).join(''), () => reply.destroy())
    if (n === 1) reply.end(all.join(''))
  })
  const found: string[] = []
  for await (const { row, position } of probity.jobs.results.list('list')) found.push(`${row}.${position}`)
  expect(found).toEqual(['2.1', '2.2', '2.4', '3.1'])
  expect(received).toHaveLength(2)
})

test('an iteration without progress throws in the end', async () => {
  const { probity, received } = await startService((_n, reply) => void reply.write(line(2), () => reply.destroy()))
  expect(await failureOf(rowsOf(probity.jobs.results.list('list')))).toBeInstanceOf(ConnectionError)
  expect(received).toHaveLength(4)
})

test('a job without results yields none', async () => {
  const { probity } = await startService((_n, reply) => void reply.end())
  expect(await rowsOf(probity.jobs.results.list('list'))).toEqual([])
})

test('a download works on platforms without streams', async () => {
  const own: typeof fetch = async (...args) => {
    const text = await (await fetch(...args)).text()
    return Object.defineProperty(new Response(text), 'body', { value: null })
  }
  const { probity } = await startService((n, reply) => void reply.end(n === 0 ? lines(2, 3) : ''), { fetch: own })
  expect(await rowsOf(probity.jobs.results.list('list'))).toEqual([2, 3])
  expect(await rowsOf(probity.jobs.results.list('list'))).toEqual([])
})

test('a break ends the download of an iteration', async () => {
  let isClosed = false
  const { probity } = await startService((_n, reply) => {
    reply.on('close', () => (isClosed = true)).write(lines(2, 3))
  })
  for await (const { row } of probity.jobs.results.list('list')) if (row === 3) break
  await expect.poll(() => isClosed).toBe(true)
})

test('a download is streamed', async () => {
  let goOn = () => {}
  const { probity, received } = await startService((_n, reply) => {
    reply.write('first')
    goOn = () => void reply.end('second')
  })
  const stream = await probity.jobs.results.download('list', { format: 'csv', bom: true, formulaSafe: false })
  const reader = stream.getReader()
  expect(new TextDecoder().decode((await reader.read()).value)).toBe('first')
  goOn()
  expect(new TextDecoder().decode((await reader.read()).value)).toBe('second')
  expect((await reader.read()).done).toBe(true)
  expect(received[0]?.path).toBe('/api/v1/bulk/jobs/list/results?format=csv&bom=true&formula_safe=false')
})

test('the rows that were not validated are downloaded without a preset', async () => {
  const { probity, received } = await startService((_n, reply) => void reply.end())
  await (await probity.jobs.results.download('list', { format: 'csv', part: 'left_out' })).cancel()
  expect(received[0]?.path).toBe('/api/v1/bulk/jobs/list/results?format=csv&part=left_out')
})

test('a download that is cut off ends in an error', async () => {
  const { probity } = await startService((_n, reply) => {
    reply.write('half', () => setTimeout(() => reply.destroy(), 20))
  })
  const stream = await probity.jobs.results.download('list', { format: 'csv' })
  const failure = await failureOf(new Response(stream).text())
  expect(failure).toBeInstanceOf(ConnectionError)
  expect((failure as Error).message).toContain('incomplete')
})

test('a download may exceed timeoutMs, but not idleTimeoutMs', async () => {
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
  const whole = await new Response(await probity.jobs.results.download('list', { format: 'csv' })).text()
  expect(whole).toBe('piece'.repeat(6))
  const stalled = await probity.jobs.results.download('list', { format: 'csv', idleTimeoutMs: 200 })
  expect(await failureOf(new Response(stalled).text())).toBeInstanceOf(TimeoutError)
})

test('an abort ends a download that has begun', async () => {
  let isClosed = false
  const { probity } = await startService((_n, reply) => {
    reply.on('close', () => (isClosed = true)).write('half')
  })
  const controller = new AbortController()
  const reader = (await probity.jobs.results.download('list', { format: 'csv', signal: controller.signal })).getReader()
  await reader.read()
  controller.abort()
  expect(await failureOf(reader.read())).toBe(controller.signal.reason)
  await expect.poll(() => isClosed).toBe(true)
})

test('cancel ends a download', async () => {
  let isClosed = false
  const { probity } = await startService((_n, reply) => {
    reply.on('close', () => (isClosed = true)).write('half')
  })
  await (await probity.jobs.results.download('list', { format: 'csv' })).cancel()
  await expect.poll(() => isClosed).toBe(true)
})
