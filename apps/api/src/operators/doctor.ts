import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { describeFinding, isDoctorCheck, sortBySeverity } from '@probity/contract/constants/operators'
import { DoctorReport, type StoredFinding } from '@probity/contract/schemas/operators'
import { asOperator, type Db } from '@probity/database/connection/connect'
import {
  isDoctorRunRequested,
  type KeptRow,
  listFindings,
  openDoctorTicketCheck,
  requestDoctorRun,
} from '@probity/database/operators/doctor'
import { EVENT_STREAM_HEADERS, PADDING } from '../http/event-stream.ts'
import { Problem } from '../http/problem.ts'
import type { Route } from '../http/route.ts'

/** The latest doctor findings, and requests for another run. */
export const manageDoctor: Route<{ db: Db }> = async (app, { db }) => {
  app.get('/doctor', { schema: { response: { 200: DoctorReport } } }, () =>
    asOperator(db, async (trx) => {
      const rows = await listFindings(trx)
      return { findings: sortBySeverity(rows.flatMap(present)), run_requested: await isDoctorRunRequested(trx) }
    }),
  )

  // Two requests within a minute cause one run.
  app.post('/doctor/run', { config: { needsNoCode: true } }, async (_request, reply) => {
    await asOperator(db, requestDoctorRun)
    return reply.code(204).send()
  })
}

/** A worker of another version may report checks that this version does not know; they are omitted. */
function present({ host, checkId, subject, status, observed, fix, checkedAt, since }: KeptRow): StoredFinding[] {
  if (!isDoctorCheck(checkId)) return []
  return [
    {
      ...describeFinding({ check: checkId, subject, status, saw: observed, fix }),
      host: host === '' ? null : host,
      checked_at: checkedAt.toISOString(),
      since_at: since.toISOString(),
    },
  ]
}

/** A little more than the doctor sends. */
const BODY_BYTES_MAX = 9_000_000
const EVENTS = 4
const EVENT_EVERY_MS = 400

const HIDDEN = { hide: true }

/**
 * The target of the doctor's own requests, which pass through the reverse proxy to check whether a large upload and an event stream get
 * through. A request needs a ticket that only a process with database access can create; for all other clients the route does not exist.
 */
export const receiveDoctor: Route<{ db: Db }> = async (app, { db }) => {
  const isDoctorTicket = openDoctorTicketCheck(db)
  app.addHook('onRequest', async ({ headers }) => {
    if (!(await isDoctorTicket(String(headers['probity-doctor'])))) throw new Problem('not_found')
  })
  app.addContentTypeParser('application/octet-stream', async (_request: unknown, body: AsyncIterable<Buffer>) => {
    let bytes = 0
    for await (const chunk of body) {
      bytes += chunk.length
      if (bytes > BODY_BYTES_MAX) throw new Problem('payload_too_large')
    }
    return { bytes }
  })

  const upload = { schema: HIDDEN, config: { largeBody: true } }
  app.post('/app/api/doctor/upload', upload, async ({ body }) => body)

  app.get('/app/api/doctor/events', { schema: HIDDEN }, async (_request, reply) =>
    reply.headers(EVENT_STREAM_HEADERS).send(Readable.from(writeEvents())),
  )
}

/** Starts like the event streams of jobs, with the same padding, so that the result of the check applies to them. */
async function* writeEvents() {
  for (let n = 1; n <= EVENTS; n += 1) {
    yield `event: ${n === EVENTS ? 'end' : 'progress'}\ndata: ${n}\n\n${n === 1 ? PADDING : ''}`
    if (n < EVENTS) await sleep(EVENT_EVERY_MS)
  }
}
