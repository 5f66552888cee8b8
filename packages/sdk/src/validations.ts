import { checkInteger } from './client-options.ts'
import type {
  BulkValidationRequest,
  BulkValidationSummary,
  DecisionRequest,
  DecisionResult,
  SingleValidationRequest,
  ValidationResult,
} from './generated/api-types.ts'
import { linkSignal } from './http/deadline.ts'
import { ProbityError } from './http/errors.ts'
import { splitOptions, toBody } from './http/request-body.ts'
import { type ApiPromise, createApiPromise } from './http/response.ts'
import type { IdempotentRequestOptions, RequestOptions, Transport } from './http/transport.ts'

type ValidationSettings = {
  /** Whether the local model takes part in `deliverability`. Default: true, if the plan includes it. */
  ai?: boolean | undefined
  /** Whether the mail server is probed with a control recipient to detect catch-all domains. Default: true. */
  catchall?: boolean | undefined
  /** Name of a policy that turns each result into `allow`, `review` or `block`, in its field `policy`. */
  policy?: string | undefined
  /** Maximum age, in seconds, of an earlier result that may be returned; 0 validates now. Default: 24 hours. */
  maxAgeSeconds?: number | undefined
  /** Text of your own, at most 200 characters, returned in the response and in webhook events. */
  reference?: string | undefined
}

export type ValidateOptions = IdempotentRequestOptions &
  ValidationSettings & {
    /** Seconds that the service may take, 1 to 30. Default: 10. Without a result by then, the status is `unknown` with a `retry_at`. */
    waitSeconds?: number | undefined
  }

export type ValidateBulkOptions = IdempotentRequestOptions &
  ValidationSettings & {
    /** Seconds that the service may take, 1 to 55. Default: 20. Addresses without a result by then are `unknown` with a `retry_at`. */
    waitSeconds?: number | undefined
  }

export type DecideOptions = IdempotentRequestOptions & {
  /** Seconds that the service may take, 1 to 30. Default: 5. */
  waitSeconds?: number | undefined
  /** Name of the policy that decides. Default: `signup`, or the first policy of a publishable key. */
  policy?: string | undefined
}

/** Stored validations. Scope: `validations:read`. */
export type ValidationsApi = {
  /** The result of an earlier validation by its `id`, for as long as the account keeps results. Free. */
  get(id: string, options?: RequestOptions): ApiPromise<ValidationResult>
}

/** Limit of `POST /validation/bulk`. */
const EMAILS_PER_REQUEST_MAX = 1_000
const TOO_MANY_EMAILS = `validateBulk accepts at most ${EMAILS_PER_REQUEST_MAX} addresses. Use validateAll, or upload a file and create a job.`
const WAIT_SECONDS_MAX = 30
const BULK_WAIT_SECONDS_MAX = 55

export function createValidationsApi({ request }: Transport): ValidationsApi {
  return { get: (id, options = {}) => request({ ...options, method: 'GET', path: ['validations', id] }) }
}

export function validateSingle(
  transport: Transport,
  email: string,
  options: ValidateOptions,
): ApiPromise<ValidationResult> {
  return post(transport, 'single', () => {
    const { call, json } = readOptions(options, WAIT_SECONDS_MAX)
    return { call, json: { email, ...json } satisfies SingleValidationRequest }
  })
}

export function validateBulk(
  transport: Transport,
  emails: readonly string[],
  options: ValidateBulkOptions,
): ApiPromise<BulkValidationSummary> {
  return post(transport, 'bulk', () => {
    if (emails.length > EMAILS_PER_REQUEST_MAX) throw new ProbityError(TOO_MANY_EMAILS)
    const { call, json } = readOptions(options, BULK_WAIT_SECONDS_MAX)
    return { call, json: { emails: [...emails], ...json } satisfies BulkValidationRequest }
  })
}

export function decide(transport: Transport, email: string, options: DecideOptions): ApiPromise<DecisionResult> {
  return post(transport, 'decision', () => {
    const { call, json } = readOptions(options, WAIT_SECONDS_MAX)
    return { call, json: { email, ...json } satisfies DecisionRequest }
  })
}

/** An invalid option rejects the call instead of being thrown synchronously. */
function post<T>(
  { request }: Transport,
  kind: string,
  prepare: () => { call: IdempotentRequestOptions; json: object },
): ApiPromise<T> {
  try {
    const { call, json } = prepare()
    return request({ ...call, method: 'POST', path: ['validation', kind], json })
  } catch (error) {
    return createApiPromise(Promise.reject(error))
  }
}

/** `waitSeconds` is `timeout` in the API. */
function readOptions<T extends IdempotentRequestOptions & { waitSeconds?: number | undefined }>(
  { waitSeconds, ...options }: T,
  max: number,
) {
  if (waitSeconds !== undefined) checkInteger('waitSeconds', waitSeconds, { min: 1, max })
  const { call, fields } = splitOptions(options)
  return { call, json: { ...toBody(fields), ...(waitSeconds !== undefined && { timeout: waitSeconds }) } }
}

export type ValidateAllOptions = Omit<ValidateBulkOptions, 'idempotencyKey'> & {
  /** Maximum number of requests at a time, 1 to 20. Default: 2. */
  concurrency?: number | undefined
  /** Number of addresses per request, 1 to 1,000. Default: 1,000. Duplicates are charged once per request. */
  chunkSize?: number | undefined
}

/** The result of one address of `validateAll`. */
export type ValidateAllItem = Omit<BulkValidationSummary['results'][number], 'indexes'> & {
  /** Position of the address in the input, counted from 0. */
  index: number
}

const CONCURRENCY = 2
const CONCURRENCY_MAX = 20

/**
 * Validates any number of addresses with bulk requests and yields one item per address in the order of the input. The source is read
 * only as far as `concurrency` requires. If a request fails, the items before it are yielded first. Ending the iteration aborts the
 * requests in progress.
 */
export async function* validateAll(
  transport: Transport,
  emails: Iterable<string> | AsyncIterable<string>,
  options: ValidateAllOptions,
): AsyncGenerator<ValidateAllItem, void, undefined> {
  const { concurrency = CONCURRENCY, chunkSize = EMAILS_PER_REQUEST_MAX, signal, ...rest } = options
  checkInteger('concurrency', concurrency, { min: 1, max: CONCURRENCY_MAX })
  checkInteger('chunkSize', chunkSize, { min: 1, max: EMAILS_PER_REQUEST_MAX })
  const { controller, release } = linkSignal(signal)
  const send = ({ emails: chunk, start }: Chunk) =>
    validateChunk(() => validateBulk(transport, chunk, { ...rest, signal: controller.signal }), chunk, start)
  const chunks = readChunks(emails, chunkSize)
  const inFlight: Promise<ValidateAllItem[]>[] = []
  let isDrained = false
  try {
    while (true) {
      while (!isDrained && inFlight.length < concurrency) {
        const next = chunks.next()
        // An error of the source is thrown in its place, after the results of the addresses before it.
        const read = await untilAborted(next, controller.signal).catch(() => undefined)
        isDrained = read === undefined || read.done === true
        if (read === undefined) inFlight.push(untilAborted(next as Promise<never>, controller.signal))
        else if (!read.done) inFlight.push(send(read.value))
        inFlight.at(-1)?.catch(() => undefined) // it may fail before its turn, which is not an unhandled rejection
      }
      const first = inFlight.shift()
      if (first === undefined) return
      yield* await first
    }
  } finally {
    release()
    controller.abort()
    const closed = chunks.return()
    // A source that does not respond must not delay an abort.
    if (signal?.aborted) closed.catch(() => undefined)
    else await closed
  }
}

/** Rejects with the reason of the signal when it aborts. */
async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let abort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

type Chunk = { emails: string[]; start: number }

async function* readChunks(
  source: Iterable<string> | AsyncIterable<string>,
  chunkSize: number,
): AsyncGenerator<Chunk, void, undefined> {
  let emails: string[] = []
  let start = 0
  for await (const email of source) {
    emails.push(email)
    if (emails.length < chunkSize) continue
    yield { emails, start }
    start += emails.length
    emails = []
  }
  if (emails.length > 0) yield { emails, start }
}

/** The response has one item per unique address, with the positions of its duplicates. */
async function validateChunk(
  send: () => Promise<BulkValidationSummary>,
  emails: string[],
  start: number,
): Promise<ValidateAllItem[]> {
  const { results } = await send()
  const items = results.flatMap(({ indexes, ...item }) =>
    indexes.map((index) => ({ ...item, email: emails[index] ?? item.email, index: start + index })),
  )
  return items.sort((a, b) => a.index - b.index)
}
