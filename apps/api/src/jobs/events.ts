import type { Readable } from 'node:stream'
import { JOB_EXAMPLE } from '@probity/contract/constants/data/examples'
import { type Job, JobParams } from '@probity/contract/schemas/jobs/jobs'
import { type Db, inTenant } from '@probity/database/connection/connect'
import type { View } from '@probity/database/connection/scope'
import { findJob } from '@probity/database/jobs/jobs'
import { presentJob } from '@probity/database/jobs/present-job'
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import Type from 'typebox'
import {
  END_ID,
  EVENT_STREAM_HEADERS,
  type EventStream,
  openEventStream,
  openStreamSlots,
  STREAM_BOUNDS,
} from '../http/event-stream.ts'
import { MIDDLEWARE_PROBLEMS, operation } from '../http/openapi.ts'
import { found } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import { viewOf } from '../middleware/authentication/auth.ts'
import { type AccessDependencies, watchAccess } from '../middleware/authentication/stream-access.ts'

const LOOK_EVERY_MS = 1_000

/** Receives the job; undefined after it was deleted. */
type Listener = (job: Job | undefined) => void

type Room = { view: View; jobId: string; listeners: Set<Listener>; timer?: NodeJS.Timeout }

/** Polls the jobs that have listeners. */
export type JobWatch = {
  /** Calls the listener about once a second with the job, until the returned function is called. */
  listen(view: View, jobId: string, listener: Listener): () => void
}

/** One query per second serves all listeners of a job. */
export function openJobWatch(db: Db, log: FastifyBaseLogger): JobWatch {
  const rooms = new Map<string, Room>()

  async function look(room: Room): Promise<void> {
    try {
      const job = await inTenant(db, room.view.accountId, (trx) => findJob(trx, room.view, room.jobId))
      for (const listener of room.listeners) listener(job && presentJob(job))
    } catch (error) {
      log.warn({ err: error, jobId: room.jobId }, 'failed to read a job; retrying')
    }
    if (room.listeners.size > 0) lookLater(room)
  }

  function lookLater(room: Room): void {
    room.timer = setTimeout(() => void look(room), LOOK_EVERY_MS).unref()
  }

  function openRoom(name: string, view: View, jobId: string): Room {
    const room: Room = { view, jobId, listeners: new Set() }
    rooms.set(name, room)
    lookLater(room)
    return room
  }

  return {
    listen(view, jobId, listener) {
      const name = `${view.accountId}/${view.mode}/${jobId}`
      const room = rooms.get(name) ?? openRoom(name, view, jobId)
      room.listeners.add(listener)
      return () => {
        room.listeners.delete(listener)
        if (room.listeners.size > 0) return
        clearTimeout(room.timer)
        if (rooms.get(name) === room) rooms.delete(name)
      }
    },
  }
}

type EventsDependencies = AccessDependencies & {
  hurry: AbortSignal
  log: FastifyBaseLogger
}

/** For the OpenAPI document: streams are not validated against a schema. */
const JobEvents = Type.Unsafe<Readable>({
  description: 'Server-sent events, each with the whole job as its data.',
  content: {
    'text/event-stream': {
      schema: { type: 'string', description: 'Events named `progress`, and one named `end` at the end.' },
      example: `retry: 3000\n\nevent: progress\nid: processing/6400\ndata: ${JSON.stringify(JOB_EXAMPLE)}\n\n`,
    },
  },
})

/** Progress of a job as server-sent events. */
export const streamEvents: Route<EventsDependencies> = async (app, services) => {
  const { db, log, hurry } = services
  const watch = openJobWatch(db, log)
  const places = openStreamSlots(STREAM_BOUNDS)
  const open = new Set<EventStream>()
  const closeAll = () => {
    for (const events of open) events.close()
  }
  hurry.addEventListener('abort', closeAll)
  app.addHook('preClose', async () => closeAll())

  const schema = operation(
    {
      id: 'streamJobEvents',
      tag: 'Jobs',
      summary: 'Follow a job',
      description: `Server-sent events. \`progress\` is sent immediately and after every change, at most once a second; \`end\` is sent when the job has ended, and then the stream is closed. Each event contains the whole job, so a client that reconnects misses nothing. A comment every 15 seconds is a heartbeat. A stream lasts at most an hour, and an account can have ${STREAM_BOUNDS.perAccount} at a time. A client that reconnects after \`end\` receives 204.`,
      problems: ['invalid_request', 'not_found', 'too_many_streams', ...MIDDLEWARE_PROBLEMS],
    },
    {
      params: JobParams,
      response: {
        200: JobEvents,
        204: Type.Null({ description: 'The job has ended, and the client has received `end`.' }),
      },
    },
  )
  app.get('/bulk/jobs/:job_id/events', { schema, config: { scope: 'jobs:read' } }, async (request, reply) => {
    const { auth, params } = request
    const job = await inTenant(db, auth.accountId, (trx) => findJob(trx, viewOf(auth), params.job_id))
    const first = presentJob(found(job))
    if (first.finished_at !== null && request.headers['last-event-id'] === END_ID) return reply.code(204).send(null)

    const leave = places.take(auth.accountId, request.ip)
    const events = openEventStream(first)
    open.add(events)
    const stopListening = follow({ watch, services, request, events }, params.job_id)
    events.stream.once('close', () => {
      stopListening()
      open.delete(events)
      leave()
    })
    if (hurry.aborted) events.close()
    return reply.headers(EVENT_STREAM_HEADERS).send(events.stream)
  })
}

type Following = { watch: JobWatch; services: AccessDependencies; request: FastifyRequest; events: EventStream }

/** Sends the job while the key or the session can read it. Deleting the job ends the stream. */
function follow({ watch, services, request, events }: Following, jobId: string): () => void {
  const { auth, log } = request
  const isAllowed = watchAccess(services, request, 'jobs:read')
  return watch.listen(viewOf(auth), jobId, (job) => {
    isAllowed().then(
      (allowed) => {
        if (job && allowed) events.show(job)
        else events.close()
      },
      // PostgreSQL is unavailable, so access cannot be checked. The next check follows within a second.
      (error: unknown) => log.warn({ err: error }, 'failed to check access to an event stream'),
    )
  })
}
