import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { EVENT_EXAMPLE, EVENT_ID, WebhookEvent } from '@probity/contract/schemas/webhooks/events'
import type { Db } from '@probity/database/connection/connect'
import { EVENT_STREAMS_MAX } from '@probity/database/webhooks/event-streams'
import type { FastifyBaseLogger } from 'fastify'
import Type from 'typebox'
import { EVENT_STREAM_HEADERS, openStreamSlots, STREAM_BOUNDS } from '../http/event-stream.ts'
import { MIDDLEWARE_PROBLEMS, operation } from '../http/openapi.ts'
import { Problem } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import type { ApiKeyCache } from '../middleware/authentication/api-key-cache.ts'
import { viewOf } from '../middleware/authentication/auth.ts'
import type { UserAuthentication } from '../middleware/authentication/session.ts'
import { watchAccess } from '../middleware/authentication/stream-access.ts'
import { type EventFrames, openEventFeed, openEventFrames } from './event-feed.ts'

type StreamDependencies = {
  db: Db
  keys: ApiKeyCache
  people: UserAuthentication
  hurry: AbortSignal
  log: FastifyBaseLogger
}

const RETRY_AFTER_S = 15
const SCOPE = 'webhooks:read'

/** For the OpenAPI document; a stream is not serialized by a schema. As in OpenAPI 3.2, a sequence of events is an array. */
const Events = Type.Unsafe<Readable>({
  description: 'Server-sent events.',
  content: {
    'text/event-stream': {
      schema: {
        type: 'array',
        items: {
          type: 'object',
          required: ['id', 'data'],
          properties: {
            id: { type: 'string', description: 'The id of the event.' },
            data: {
              type: 'string',
              description: 'The event as JSON, the same text that webhooks receive.',
              contentMediaType: 'application/json',
              contentSchema: WebhookEvent,
            },
          },
        },
      },
      example: [{ id: EVENT_ID, data: JSON.stringify(EVENT_EXAMPLE) }],
    },
  },
})

/** Streams the events of an account and mode as they happen. */
export const streamAllEvents: Route<StreamDependencies> = async (app, services) => {
  const { db, log, hurry } = services
  const feed = openEventFeed(db, log)
  const places = openStreamSlots({ ...STREAM_BOUNDS, perAccount: EVENT_STREAMS_MAX })
  const open = new Map<string, EventFrames>()
  const closeAll = () => {
    for (const frames of open.values()) frames.close()
  }
  hurry.addEventListener('abort', closeAll)
  app.addHook('preClose', async () => {
    const ids = [...open.keys()]
    closeAll()
    await Promise.all(ids.map((id) => feed.close(id)))
  })

  const schema = operation(
    {
      id: 'streamEvents',
      tag: 'Webhooks',
      summary: 'Stream events',
      description: `Server-sent events: every event of the mode of the key as it occurs, except \`webhook.test\`, with the event body as data and the event id as \`id\`. No webhook is needed, and events are not stored for a stream: a client that reconnects has missed the events in between. A comment every 15 seconds is a heartbeat. The stream ends when the key ends, when the client reads too slowly, and after an hour. An account can have ${EVENT_STREAMS_MAX} streams at a time.`,
      problems: ['too_many_streams', ...MIDDLEWARE_PROBLEMS],
    },
    { response: { 200: Events } },
  )
  app.get('/events/stream', { schema, config: { scope: SCOPE } }, async (request, reply) => {
    const leave = places.take(request.auth.accountId, request.ip)
    const id = randomUUID()
    const frames = openEventFrames()
    const listener = { send: frames.send, end: frames.close, isAllowed: watchAccess(services, request, SCOPE) }
    frames.stream.once('close', () => {
      open.delete(id)
      leave()
      void feed.close(id)
    })
    const isOpen = await feed.open(viewOf(request.auth), id, listener).catch((error: unknown) => {
      frames.stream.destroy()
      throw error
    })
    if (!isOpen) {
      frames.stream.destroy()
      throw new Problem('too_many_streams', undefined, { retryAfterS: RETRY_AFTER_S })
    }
    open.set(id, frames)
    if (hurry.aborted) frames.close()
    return reply.headers(EVENT_STREAM_HEADERS).send(frames.stream)
  })
}
