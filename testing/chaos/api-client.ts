import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

export type ApiClient = { url: string; key: string }

export type Upload = { upload_id: string; suggested_email_column: string; unique_count: number }
type Job = { id: string; status: string; done_count: number; unique_count: number }

const CALL_WITHIN_MS = 20_000
const EXPORT_WITHIN_MS = 120_000
const TRY_AGAIN_AFTER_MS = 250
const TRIES_MAX = 1_000
const POLL_MS = 250

/** Uploads a file, with as many attempts as it takes. */
export async function upload(client: ApiClient, csv: string, signal: AbortSignal): Promise<Upload> {
  const { body } = await insist(signal, () => {
    const form = new FormData()
    form.set('file', new Blob([csv], { type: 'text/csv' }), 'list.csv')
    return call(client, '/bulk/upload/preview', { method: 'POST', body: form, signal })
  })
  return JSON.parse(body) as Upload
}

/** Confirms an upload, with as many attempts as it takes. `meanwhile` runs at the same time as each attempt. */
export async function confirm(
  client: ApiClient,
  { upload_id, suggested_email_column: email_column }: Upload,
  { signal, meanwhile }: { signal: AbortSignal; meanwhile(tries: number): Promise<void> },
): Promise<Pick<Job, 'id' | 'status'>> {
  let tries = 0
  const { body } = await insist(signal, async () => {
    tries += 1
    const request = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ upload_id, email_column }),
      signal,
    }
    const [answer] = await Promise.all([call(client, '/bulk/upload/confirm', request), meanwhile(tries)])
    return answer
  })
  return JSON.parse(body) as Pick<Job, 'id' | 'status'>
}

/** Runs the unknown rows of a job again, with as many attempts as it takes, all with one idempotency key. */
export async function rerunUnknown(
  client: ApiClient,
  jobId: string,
  { signal, meanwhile }: { signal: AbortSignal; meanwhile(tries: number): Promise<void> },
): Promise<Pick<Job, 'id'>> {
  const idempotencyKey = randomUUID()
  let tries = 0
  const { body } = await insist(signal, async () => {
    tries += 1
    const headers = { 'content-type': 'application/json', 'idempotency-key': idempotencyKey }
    const request = { method: 'POST', headers, body: JSON.stringify({ rows: 'unknown' }), signal }
    const [answer] = await Promise.all([call(client, `/bulk/jobs/${jobId}/rerun`, request), meanwhile(tries)])
    // Until the lock of an interrupted attempt expires.
    return answer?.body.includes('idempotency_in_progress') ? undefined : answer
  })
  return JSON.parse(body) as Pick<Job, 'id'>
}

/**
 * Polls a job until it has ended, or nothing has happened for too long. `pauseMs` is the longest time without a result.
 */
export async function untilEnded(
  client: ApiClient,
  jobId: string,
  { patienceMs, signal }: { patienceMs: number; signal: AbortSignal },
): Promise<Job & { pauseMs: number }> {
  let last: Job | undefined
  let pauseMs = 0
  for (let movedAt = performance.now(); ; await sleep(POLL_MS, undefined, { signal })) {
    const { body } = await insist(signal, () => call(client, `/bulk/jobs/${jobId}`, { signal }))
    const job = JSON.parse(body) as Job
    pauseMs = Math.max(pauseMs, performance.now() - movedAt)
    if (job.done_count !== last?.done_count) {
      movedAt = performance.now()
      process.stderr.write(`  ${job.status}: ${job.done_count} of ${job.unique_count}\n`)
    }
    last = job
    if (['completed', 'canceled', 'failed'].includes(job.status)) return { ...job, pauseMs }
    if (performance.now() - movedAt > patienceMs) return { ...job, pauseMs }
  }
}

/** Every result of a job, one per line. */
export async function exportResults(client: ApiClient, jobId: string, signal: AbortSignal): Promise<string> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(EXPORT_WITHIN_MS)])
  const path = `/bulk/jobs/${jobId}/results?format=ndjson`
  const { body } = await insist(signal, () => call(client, path, { signal: within }))
  return body
}

type Answer = { status: number; body: string }

async function call({ url, key }: ApiClient, path: string, request: RequestInit): Promise<Answer | undefined> {
  const within = path.includes('/results') ? [] : [AbortSignal.timeout(CALL_WITHIN_MS)]
  try {
    const answer = await fetch(`${url}/api/v1${path}`, {
      ...request,
      headers: { ...request.headers, 'x-api-key': key },
      signal: AbortSignal.any([...within, ...(request.signal ? [request.signal] : [])]),
    })
    return { status: answer.status, body: await answer.text() }
  } catch (error) {
    request.signal?.throwIfAborted()
    if (error instanceof TypeError || (error instanceof Error && error.name === 'TimeoutError')) return undefined
    throw error
  }
}

/**
 * Requests to a process that is down or busy are sent again. Any other rejection is a violation, whichever process was
 * killed.
 */
async function insist(signal: AbortSignal, ask: () => Promise<Answer | undefined>): Promise<Answer> {
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const answer = await ask()
    if (answer !== undefined && answer.status < 300) return answer
    if (answer !== undefined && answer.status < 500 && answer.status !== 429) {
      throw new Error(`the api answered ${answer.status}: ${answer.body.slice(0, 500)}`)
    }
    await sleep(TRY_AGAIN_AFTER_MS, undefined, { signal })
  }
  throw new Error(`not once in ${TRIES_MAX} tries did the api answer`)
}
