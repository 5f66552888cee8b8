import type { ApiPromise } from './api-promise.ts'
import { readLines } from './body-stream.ts'
import { delay } from './deadline.ts'
import { ConnectionError, ProbityError } from './errors.ts'
import type { JobResult, Preset, ValidationStatus, ValidationSubStatus } from './generated/wire.ts'
import { createPagePromise, fetchBySkip, loadBySkip, type PageOptions, type PagePromise } from './pages.ts'
import { backoffMs } from './retry.ts'
import { splitOptions, toQuery } from './to-wire.ts'
import type { RequestOptions, Transport } from './transport.ts'

export type ResultFilter = {
  /** Only results with this status, or one of these. */
  status?: ValidationStatus | readonly ValidationStatus[] | undefined
  /** Only results with this reason, or one of these. */
  subStatus?: ValidationSubStatus | readonly ValidationSubStatus[] | undefined
  /** Only results with this provider; an empty string for results without a known provider. */
  provider?: string | undefined
  /** Only addresses of this domain. */
  domain?: string | undefined
  /** Only addresses that contain this text, in upper or lower case. */
  search?: string | undefined
  /** Only results that this preset keeps, or those that it removes if `part` is `remove`. */
  preset?: Preset | undefined
  /** Part of the results that `preset` selects. Default: `keep`. */
  part?: 'keep' | 'remove' | undefined
  /** Name of a policy that decides about each result: `allow`, `review` or `block`. */
  policy?: string | undefined
  /** Adds `details`, `catchall`, `ai_enhancement` and `evidence` to each result. */
  evidence?: boolean | undefined
}

export type DownloadOptions = RequestOptions &
  ResultFilter & {
    /** `csv` is the uploaded file with additional columns, `ndjson` is one JSON object per line. */
    format: 'csv' | 'ndjson'
    /** Whether a CSV starts with a byte order mark, by which Excel recognizes UTF-8. Default: false. */
    bom?: boolean | undefined
    /** Whether cells that a spreadsheet would read as formulas are prefixed with `'`. Default: true. */
    formulaSafe?: boolean | undefined
    /** Time without any data after which the download fails, in milliseconds. Default: 60,000. */
    idleTimeoutMs?: number | undefined
  }

/** Results of jobs. Scope: `jobs:read`. */
export type JobResultsApi = {
  /** Results in the order of the rows of the file. While the job is in progress, these are the results so far. Iteration uses one download instead of pages. */
  list(jobId: string, options?: RequestOptions & PageOptions & ResultFilter): PagePromise<JobResult>
  /** One result with its evidence, by its `row`. */
  get(jobId: string, row: number, options?: RequestOptions): ApiPromise<JobResult>
  /** All results as a stream. A download that is cut off ends in an error. */
  download(jobId: string, options: DownloadOptions): ApiPromise<ReadableStream<Uint8Array>>
}

export function createJobResultsApi(transport: Transport): JobResultsApi {
  const pathOf = (jobId: string) => ['bulk', 'jobs', jobId, 'results']
  const download = (jobId: string, { idleTimeoutMs, ...options }: DownloadOptions) => {
    const { call, fields } = splitOptions(options)
    return transport.download({ ...call, method: 'GET', path: pathOf(jobId), query: toQuery(fields) }, idleTimeoutMs)
  }
  return {
    list(jobId, options = {}) {
      const fetchItems = (page: PageOptions) =>
        fetchBySkip<JobResult>(transport, pathOf(jobId), { ...options, ...page })
      const { skip = 0, limit: _, ...filter } = options
      return createPagePromise(
        () => loadBySkip(fetchItems, skip),
        () => iterateResults(() => download(jobId, { ...filter, format: 'ndjson' }), skip, options.signal),
      )
    },
    get: (jobId, row, options = {}) =>
      transport.request({ ...options, method: 'GET', path: [...pathOf(jobId), String(row)] }),
    download,
  }
}

/** Number of consecutive downloads that may be cut off without a new row. */
const LOSSES_MAX = 3

/**
 * Reads results from one download, because the pages of a large job would use up the rate limit of the account. Results are in the
 * order of the rows: a download that is cut off is requested again and continues after the last row.
 */
async function* iterateResults(
  download: () => Promise<ReadableStream<Uint8Array>>,
  skip: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<JobResult, void, undefined> {
  let lastRow = 0
  let toSkip = skip
  for (let losses = 0; ; losses++) {
    try {
      for await (const line of readLines(await download())) {
        const result = parseResult(line)
        if (result.row <= lastRow) continue
        lastRow = result.row
        losses = 0
        if (toSkip > 0) toSkip--
        else yield result
      }
      return
    } catch (error) {
      const isLost = lastRow > 0 && error instanceof ProbityError && error.retryable
      if (signal?.aborted || !isLost || losses >= LOSSES_MAX) throw error
      await delay(backoffMs(losses + 1), signal)
    }
  }
}

function parseResult(line: string): JobResult {
  try {
    return JSON.parse(line) as JobResult
  } catch {
    throw new ConnectionError('A line of the results is not JSON.')
  }
}
