import { getEventListeners } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { ConnectionError, type JobEvent, ProbityApiError, TimeoutError } from './probity.ts'
import { failureOf, refuse, startService } from './test-service.ts'

const SOON = 'retry: 10\n\n'

function eventOf(event: string, done: number, id = `processing/${done}`): string {
  const job = { id: 'list', done_count: done, finished_at: event === 'end' ? '2026-11-02T12:00:00.000Z' : null }
  return `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(job)}\n\n`
}

const END = eventOf('end', 9, 'end')

function begin(reply: ServerResponse, text: string): void {
  reply.writeHead(200, { 'content-type': 'text/event-stream' }).write(text)
}

async function collect(events: AsyncIterable<JobEvent>): Promise<string[]> {
  const seen: string[] = []
  for await (const { type, job } of events) seen.push(`${type} ${job.done_count}`)
  return seen
}

test('jobs.events yields progress and end, and ignores other events and comments', async () => {
  const text = `: hello\r\n\r\n${SOON}event: news\ndata: 1\n\n${eventOf('progress', 1).replaceAll('\n', '\r\n')}: heartbeat\n\n${eventOf('progress', 2)}${END}event: progress\ndata: too late\n\n`
  const { probity, received } = await startService((_n, reply) => void begin(reply, text))
  expect(await collect(probity.jobs.events('list'))).toEqual(['progress 1', 'progress 2', 'end 9'])
  expect(received[0]).toMatchObject({ path: '/api/v1/bulk/jobs/list/events', headers: { accept: 'text/event-stream' } })
})

test('jobs.events reads events that arrive byte by byte', async () => {
  const bytes = Buffer.from(eventOf('progress', 1).replace('"list"', '"Bücher"') + END)
  const { probity } = await startService(async (_n, reply) => {
    begin(reply, '')
    for (const byte of bytes) await new Promise((resolve) => reply.write(Buffer.of(byte), resolve))
  })
  const ids: string[] = []
  for await (const { job } of probity.jobs.events('list')) ids.push(job.id)
  expect(ids).toEqual(['Bücher', 'list'])
})

test('jobs.events reconnects with the last event id after the requested delay', async () => {
  const { probity, received } = await startService((n, reply) => {
    if (n === 0) begin(reply, `${SOON}${eventOf('progress', 1)}`)
    if (n === 0) setTimeout(() => reply.destroy(), 20)
    if (n === 1) reply.destroy()
    if (n === 2) refuse(reply, 503, 'overloaded')
    if (n === 3) reply.end()
    if (n === 4) begin(reply, `${eventOf('progress', 5)}${END}`)
  })
  expect(await collect(probity.jobs.events('list'))).toEqual(['progress 1', 'progress 5', 'end 9'])
  expect(received.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, ...Array(4).fill('processing/1')])
})

test('maxReconnects counts consecutive losses only', async () => {
  const { probity } = await startService((n, reply) => {
    begin(reply, n < 4 ? `${SOON}${eventOf('progress', n)}` : END)
    reply.end()
  })
  const seen = await collect(probity.jobs.events('list', { maxReconnects: 1 }))
  expect(seen).toEqual(['progress 0', 'progress 1', 'progress 2', 'progress 3', 'end 9'])
})

test('jobs.events stops at a 204 response', async () => {
  const { probity } = await startService((n, reply) => {
    if (n === 0) {
      begin(reply, `${SOON}${eventOf('progress', 1)}`)
      reply.end()
    } else reply.writeHead(204).end()
  })
  expect(await collect(probity.jobs.events('list'))).toEqual(['progress 1'])
})

test('jobs.events does not reconnect after a 404 response', async () => {
  const { probity, received } = await startService((n, reply) => {
    if (n > 0) return refuse(reply, 404, 'not_found')
    begin(reply, `${SOON}${eventOf('progress', 1)}`)
    reply.end()
  })
  expect(await failureOf(collect(probity.jobs.events('list')))).toMatchObject({ code: 'not_found' })
  expect(await failureOf(collect(probity.jobs.events('list')))).toBeInstanceOf(ProbityApiError)
  expect(received).toHaveLength(3)
})

test('jobs.events throws after maxReconnects losses', async () => {
  const { probity, received } = await startService((n, reply) => {
    begin(reply, n === 0 ? `${SOON}${eventOf('progress', 1)}` : '')
    reply.end()
  })
  const failure = await failureOf(collect(probity.jobs.events('list', { maxReconnects: 3 })))
  expect(failure).toBeInstanceOf(ConnectionError)
  expect(received).toHaveLength(4)
})

test('jobs.events reconnects after idleTimeoutMs without data', async () => {
  const { probity, received } = await startService((n, reply) =>
    begin(reply, n === 0 ? `${SOON}${eventOf('progress', 1)}` : END),
  )
  expect(await collect(probity.jobs.events('list', { idleTimeoutMs: 200 }))).toEqual(['progress 1', 'end 9'])
  expect(received[1]?.headers['last-event-id']).toBe('processing/1')
})

test('a break ends the request', async () => {
  let isClosed = false
  const { probity } = await startService((_n, reply) => {
    begin(reply, eventOf('progress', 1))
    reply.on('close', () => (isClosed = true))
  })
  const { signal } = new AbortController()
  for await (const _ of probity.jobs.events('list', { signal })) break
  await expect.poll(() => isClosed).toBe(true)
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

test('an abort ends the stream and the wait for a reconnect', async () => {
  let isClosed = false
  const { probity } = await startService((n, reply) => {
    begin(reply, `retry: 30000\n\n${eventOf('progress', 1)}`)
    reply.on('close', () => (isClosed = true))
    if (n > 0) reply.end()
  })
  for (const _ of ['open', 'lost']) {
    const controller = new AbortController()
    const events = probity.jobs.events('list', { signal: controller.signal })
    await events.next()
    const next = failureOf(events.next())
    if (isClosed) await new Promise((resolve) => setTimeout(resolve, 50))
    controller.abort()
    expect(await next).toBe(controller.signal.reason)
    await expect.poll(() => isClosed).toBe(true)
  }
})

test('jobs.wait returns the ended job and reports progress', async () => {
  const { probity } = await startService((_n, reply) => void begin(reply, `${SOON}${eventOf('progress', 1)}${END}`))
  const steps: number[] = []
  const job = await probity.jobs.wait('list', { onProgress: ({ done_count }) => steps.push(done_count) })
  expect(job.done_count).toBe(9)
  expect(steps).toEqual([1, 9])
})

test('jobs.wait polls when no stream is available', async () => {
  const ended = { id: 'list', finished_at: '2026-11-02T12:00:00.000Z' }
  const { probity } = await startService(
    (_n, reply, { path }) => (path.endsWith('/events') ? refuse(reply, 429, 'too_many_streams') : ended),
    { maxRetries: 0 },
  )
  expect(await probity.jobs.wait('list')).toEqual(ended)
})

test('jobs.wait throws a TimeoutError after timeoutMs', async () => {
  const { probity } = await startService((_n, reply) => void begin(reply, `${SOON}${eventOf('progress', 1)}`))
  const failure = await failureOf(probity.jobs.wait('list', { timeoutMs: 100 }))
  expect(failure).toBeInstanceOf(TimeoutError)
  expect((failure as Error).message).toContain('call wait again')
  const controller = new AbortController()
  const waited = failureOf(
    probity.jobs.wait('list', { signal: controller.signal, onProgress: () => controller.abort() }),
  )
  expect(await waited).toBe(controller.signal.reason)
})
