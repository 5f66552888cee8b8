import { checkInteger } from './client-options.ts'
import { linkSignal } from './deadline.ts'
import type { BulkValidationSummary } from './generated/wire.ts'
import type { Transport } from './transport.ts'
import { EMAILS_PER_REQUEST_MAX, type ValidateBulkOptions, validateBulk } from './validations.ts'

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
