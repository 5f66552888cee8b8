import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { failureOf, refuse, startService } from './test-service.ts'

const eventOf = (type: string, id: string) => `id: ${id}\ndata: ${JSON.stringify({ id, type, data: {} })}\n\n`

function begin(reply: ServerResponse, text: string): void {
  reply.writeHead(200, { 'content-type': 'text/event-stream' }).write(`retry: 10\n\n${text}`)
}

test('events.stream yields events of the given types and reconnects', async () => {
  const { probity, received } = await startService((n, reply) => {
    if (n === 1) return refuse(reply, 503, 'overloaded')
    begin(
      reply,
      n === 0
        ? `: heartbeat\n\n${eventOf('job.created', 'evt_1')}${eventOf('key.created', 'evt_2')}`
        : eventOf('job.completed', 'evt_3'),
    )
    reply.end()
    return undefined
  })
  const seen: string[] = []
  for await (const event of probity.events.stream({ types: ['job.created', 'job.completed'] })) {
    seen.push(event.id)
    if (event.type === 'job.completed') break
  }
  expect(seen).toEqual(['evt_1', 'evt_3'])
  expect(received[0]?.path).toBe('/api/v1/events/stream')
  expect(received.at(-1)?.headers['last-event-id']).toBe('evt_2')
})

test('events.stream reconnects after a stream without events', async () => {
  const { probity, received } = await startService((n, reply) => {
    begin(reply, n === 0 ? '' : eventOf('key.revoked', 'evt_1'))
    if (n === 0) reply.end()
  })
  for await (const event of probity.events.stream()) {
    expect(event.type).toBe('key.revoked')
    break
  }
  expect(received).toHaveLength(2)
})

test('events.stream throws if the first connection fails', async () => {
  const { probity, received } = await startService((_n, reply) => refuse(reply, 403, 'missing_scope'))
  expect(await failureOf(probity.events.stream().next())).toMatchObject({ code: 'missing_scope' })
  expect(received).toHaveLength(1)
})

test('events.stream ends with the signal', async () => {
  const { probity } = await startService((_n, reply) => begin(reply, eventOf('job.created', 'evt_1')))
  const controller = new AbortController()
  const events = probity.events.stream({ signal: controller.signal })
  await events.next()
  const next = failureOf(events.next())
  controller.abort(new Error('shutdown'))
  expect(await next).toBe(controller.signal.reason)
})
