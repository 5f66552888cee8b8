import { checkTimeout } from './client-options.ts'
import type {
  BulkJob,
  ConfirmUploadRequest,
  ConfirmUploadResult,
  JobBreakdown,
  JobComparison,
  JobResult,
  JobStatus,
  Preset,
  RerunRequest,
  UpdateJobRequest,
  ValidationStatus,
  ValidationSubStatus,
  WebhookDelivery,
  WebhookDeliveryDetail,
} from './generated/api-types.ts'
import { delay, linkSignal, readTextLines } from './http/deadline.ts'
import { ConnectionError, ProbityApiError, ProbityError, TimeoutError } from './http/errors.ts'
import {
  createPagePromise,
  fetchBySkip,
  listBySkip,
  loadBySkip,
  type PageOptions,
  type PagePromise,
} from './http/pages.ts'
import { splitOptions, toBody, toQuery } from './http/request-body.ts'
import type { ApiPromise } from './http/response.ts'
import { followStream, parseEventData, type StreamOptions } from './http/server-sent-events.ts'
import {
  backoffMs,
  deleteObject,
  type IdempotentRequestOptions,
  type RequestOptions,
  type Transport,
} from './http/transport.ts'
import { createReportLinksApi, type ReportLinksApi } from './report-links.ts'
import type { CellOptions } from './uploads.ts'

export type CreateJobOptions = IdempotentRequestOptions &
  CellOptions & {
    /** Column with the addresses: one of `columns` of the upload. */
    emailColumn: string
    /** Whether the local model takes part in `deliverability`. Default: true, if the plan includes it. */
    ai?: boolean | undefined
    /** Whether mail servers are probed with a control recipient to detect catch-all domains. Default: true. */
    catchall?: boolean | undefined
    /** Text of your own, at most 200 characters, returned with the job and in its webhook events. */
    reference?: string | undefined
    /** Maximum age, in seconds, of an earlier result that the job may use. Default: every address is validated. */
    maxAgeSeconds?: number | undefined
    /** URL that receives the event that ends the job, signed with the callback secret of the account (`webhooks.callbackSecret`). */
    callbackUrl?: string | undefined
  }

export type RerunJobOptions = IdempotentRequestOptions & {
  /** Rows of the earlier job: all of them, or those that are `unknown` for a reason that another validation can change. */
  rows: 'all' | 'unknown'
  /** Text of your own, at most 200 characters, returned with the job and in its webhook events. */
  reference?: string | undefined
  /** URL that receives the event that ends the job, signed with the callback secret of the account. */
  callbackUrl?: string | undefined
}

export type JobFilter = {
  /** Only jobs with this status, or one of these. */
  status?: JobStatus | readonly JobStatus[] | undefined
  /** Only jobs whose `name` or `filename` contains this text, in upper or lower case. */
  search?: string | undefined
  /** Only jobs with this tag. */
  tag?: string | undefined
  /** Whether to list reruns of unknown rows. Default: true. `false` omits those whose results are merged into an earlier job. */
  unknownReruns?: boolean | undefined
}

export type UpdateJobOptions = RequestOptions & {
  /** New name of the job. */
  name?: string | undefined
  /** Tags, at most 10, which replace the earlier ones. */
  tags?: readonly string[] | undefined
}

/** Jobs: the asynchronous validation of uploaded files. Scopes: `jobs:read`, and `jobs:write` for changes. */
export type JobsApi = {
  /** Results of jobs. */
  readonly results: JobResultsApi
  /** Requests to the `callbackUrl` of jobs. */
  readonly callback: JobCallbackApi
  /** Links to the reports of jobs. */
  readonly reportLinks: ReportLinksApi
  /** Creates a job from an upload and reserves its credits. An upload becomes one job, however often this is called. */
  create(uploadId: string, options: CreateJobOptions): ApiPromise<ConfirmUploadResult>
  /** One job with its status, progress and counts. */
  get(id: string, options?: RequestOptions): ApiPromise<BulkJob>
  /** Jobs, newest first. */
  list(options?: RequestOptions & PageOptions & JobFilter): PagePromise<BulkJob>
  /** Changes the name and the tags of the job. */
  update(id: string, options: UpdateJobOptions): ApiPromise<BulkJob>
  /** Stops the job until it is resumed. Addresses in progress are completed. */
  pause(id: string, options?: IdempotentRequestOptions): ApiPromise<BulkJob>
  /** Continues a paused job. */
  resume(id: string, options?: IdempotentRequestOptions): ApiPromise<BulkJob>
  /** Ends the job. Its results so far are kept, and unused credits are released. */
  cancel(id: string, options?: IdempotentRequestOptions): ApiPromise<BulkJob>
  /**
   * Creates a job from the file of a job that has ended, and reserves its credits. Possible until `file_expires_at`. With `rows: 'unknown'`
   * its results are merged into the earlier job; see its `unknown_rerun`.
   */
  rerun(id: string, options: RerunJobOptions): ApiPromise<ConfirmUploadResult>
  /** Deletes the job with its file, addresses and results, and so the reruns of its unknown rows. */
  delete(id: string, options?: RequestOptions): ApiPromise<void>
  /** Counts by reason, provider and domain, and what each preset would keep and remove. */
  breakdown(id: string, options?: RequestOptions): ApiPromise<JobBreakdown>
  /** Counts by status of this job, of an earlier one and of their common addresses, and how many of these changed their status. */
  compare(id: string, earlierId: string, options?: RequestOptions): ApiPromise<JobComparison>
  /** Iterates over the changes of the job until it ends, over lost connections. */
  events(id: string, options?: StreamOptions): AsyncGenerator<JobEvent, void, undefined>
  /** Waits until the job has ended; see its `status` for how. */
  wait(id: string, options?: WaitOptions): Promise<BulkJob>
}

/** Requests to the `callbackUrl` of jobs. Scopes: `jobs:read`, and `jobs:write` to resend. */
export type JobCallbackApi = {
  /** The delivery of the event that ended the job. */
  get(jobId: string, options?: RequestOptions): ApiPromise<WebhookDeliveryDetail>
  /** Resends the event. */
  resend(jobId: string, options?: IdempotentRequestOptions): ApiPromise<WebhookDelivery>
}

export function createJobsApi(transport: Transport): JobsApi {
  const { request } = transport
  const pathOf = (...segments: string[]) => ['bulk', 'jobs', ...segments]
  const get = <T>(path: string[], options: RequestOptions = {}) => request<T>({ ...options, method: 'GET', path })
  const post = <T>(path: string[], options: IdempotentRequestOptions = {}) =>
    request<T>({ ...options, method: 'POST', path })
  const getJob = (id: string, options?: RequestOptions) => get<BulkJob>(pathOf(id), options)
  return {
    results: createJobResultsApi(transport),
    callback: {
      get: (jobId, options) => get(pathOf(jobId, 'callback'), options),
      resend: (jobId, options) => post(pathOf(jobId, 'callback', 'resend'), options),
    },
    reportLinks: createReportLinksApi(transport),
    create(uploadId, options) {
      const { call, fields } = splitOptions(options)
      const json: ConfirmUploadRequest = { upload_id: uploadId, ...toBody(fields) }
      return request({ ...call, method: 'POST', path: ['bulk', 'upload', 'confirm'], json })
    },
    get: getJob,
    list: (options = {}) => listBySkip(transport, pathOf(), options),
    update(id, options) {
      const { call, fields } = splitOptions(options)
      const json: UpdateJobRequest = toBody(fields)
      return request({ ...call, method: 'PATCH', path: pathOf(id), json })
    },
    pause: (id, options) => post(pathOf(id, 'pause'), options),
    resume: (id, options) => post(pathOf(id, 'resume'), options),
    cancel: (id, options) => post(pathOf(id, 'cancel'), options),
    rerun(id, options) {
      const { call, fields } = splitOptions(options)
      const json: RerunRequest = toBody(fields)
      return request({ ...call, method: 'POST', path: pathOf(id, 'rerun'), json })
    },
    delete: (id, options) => deleteObject(transport, pathOf(id), options),
    breakdown: (id, options) => get(pathOf(id, 'breakdown'), options),
    compare: (id, earlierId, options = {}) =>
      request({ ...options, method: 'GET', path: pathOf(id, 'comparison'), query: { with: earlierId } }),
    events: (id, options = {}) => followJob(transport, id, options),
    wait: (id, options = {}) => waitForJob({ transport, get: getJob }, id, options),
  }
}

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
  /** Only the results with one of these `row` numbers, at most 100. */
  rows?: readonly number[] | undefined
  /** Only results that this preset keeps, or those that it removes if `part` is `remove`. */
  preset?: Preset | undefined
  /** Part of the results that `preset` selects. Default: `keep`. */
  part?: 'keep' | 'remove' | undefined
  /** Name of a policy that decides about each result: `allow`, `review` or `block`. */
  policy?: string | undefined
  /** Adds `details`, `catchall`, `ai_enhancement` and `evidence` to each result. */
  evidence?: boolean | undefined
}

type ResultSortField = 'row' | 'status' | 'sub_status' | 'provider' | 'domain' | 'deliverability'
/** Field by which a page of results is sorted; a `-` before the name reverses the order. */
export type ResultSort = ResultSortField | `-${ResultSortField}`

export type ListResultsOptions = RequestOptions &
  PageOptions &
  ResultFilter & {
    /** Order of a page. Default: `row`. Iteration is always in the order of the rows. */
    sort?: ResultSort | undefined
  }

export type GetResultOptions = RequestOptions & {
  /** The `position` of the result. Default: the first one of the row. */
  position?: number | undefined
}

export type DownloadOptions = RequestOptions &
  Omit<ResultFilter, 'part'> & {
    /** `csv` is the uploaded file with additional columns, `xlsx` the same as an Excel workbook, `ndjson` one JSON object per line. */
    format: 'csv' | 'xlsx' | 'ndjson'
    /** Part of the results that `preset` selects; or, without a preset, the rows of the file that were not validated, as `csv` or `xlsx`. Default: `keep`. */
    part?: 'keep' | 'remove' | 'left_out' | undefined
    /** Whether a CSV starts with a byte order mark, by which Excel recognizes UTF-8. Default: false. */
    bom?: boolean | undefined
    /** Whether a CSV starts with a byte order mark if the uploaded file does, or is in Windows-1252. Default: false. */
    keepBom?: boolean | undefined
    /** Whether rows of a CSV or XLSX that repeat an earlier address are omitted. Default: false. */
    unique?: boolean | undefined
    /** Whether a CSV or XLSX has only the columns of the uploaded file. Its email column then has the validated addresses. Default: false. */
    ownColumns?: boolean | undefined
    /** Whether cells that a spreadsheet would read as formulas are prefixed with `'`. Default: true. */
    formulaSafe?: boolean | undefined
    /** Time without any data after which the download fails, in milliseconds. Default: 60,000. */
    idleTimeoutMs?: number | undefined
  }

/** Results of jobs. Scope: `jobs:read`. */
export type JobResultsApi = {
  /** Results in the order of the rows of the file. While the job is in progress, these are the results so far. Iteration uses one download instead of pages. */
  list(jobId: string, options?: ListResultsOptions): PagePromise<JobResult>
  /** One result with its evidence, by its `row`, and its `position` if the cell has several addresses. */
  get(jobId: string, row: number, options?: GetResultOptions): ApiPromise<JobResult>
  /** All results as a stream. A download that is cut off ends in an error. */
  download(jobId: string, options: DownloadOptions): ApiPromise<ReadableStream<Uint8Array>>
}

function createJobResultsApi(transport: Transport): JobResultsApi {
  const pathOf = (jobId: string) => ['bulk', 'jobs', jobId, 'results']
  const download = (jobId: string, { idleTimeoutMs, ...options }: DownloadOptions) => {
    const { call, fields } = splitOptions(options)
    return transport.download({ ...call, method: 'GET', path: pathOf(jobId), query: toQuery(fields) }, idleTimeoutMs)
  }
  return {
    list(jobId, options = {}) {
      const fetchItems = (page: PageOptions) =>
        fetchBySkip<JobResult>(transport, pathOf(jobId), { ...options, ...page })
      const { skip = 0, limit: _, sort: __, ...filter } = options
      return createPagePromise(
        () => loadBySkip(fetchItems, skip),
        () => iterateResults(() => download(jobId, { ...filter, format: 'ndjson' }), skip, options.signal),
      )
    },
    get(jobId, row, options = {}) {
      const { call, fields } = splitOptions(options)
      return transport.request({
        ...call,
        method: 'GET',
        path: [...pathOf(jobId), String(row)],
        query: toQuery(fields),
      })
    },
    download,
  }
}

/** Number of consecutive downloads that may be cut off without a new result. */
const LOSSES_MAX = 3

/**
 * Reads results from one download, because the pages of a large job would use up the rate limit of the account. Results are in the
 * order of the file: a download that is cut off is requested again and continues after the last result.
 */
async function* iterateResults(
  download: () => Promise<ReadableStream<Uint8Array>>,
  skip: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<JobResult, void, undefined> {
  let last: Pick<JobResult, 'row' | 'position'> | undefined
  let toSkip = skip
  for (let losses = 0; ; losses++) {
    try {
      for await (const line of readTextLines(await download())) {
        const result = parseResult(line)
        if (last && !isAfter(result, last)) continue
        last = result
        losses = 0
        if (toSkip > 0) toSkip--
        else yield result
      }
      return
    } catch (error) {
      const isLost = last !== undefined && error instanceof ProbityError && error.retryable
      if (signal?.aborted || !isLost || losses >= LOSSES_MAX) throw error
      await delay(backoffMs(losses + 1), signal)
    }
  }
}

/** A row has several results if its cell has several addresses. */
function isAfter(result: Pick<JobResult, 'row' | 'position'>, last: Pick<JobResult, 'row' | 'position'>): boolean {
  return result.row === last.row ? result.position > last.position : result.row > last.row
}

function parseResult(line: string): JobResult {
  try {
    return JSON.parse(line) as JobResult
  } catch {
    throw new ConnectionError('A line of the results is not JSON.')
  }
}

/** State of a job. The last event has the type `end`. */
export type JobEvent = { type: 'progress' | 'end'; id: string; job: BulkJob }

export type WaitOptions = Omit<StreamOptions, 'timeoutMs'> & {
  /** Maximum time to wait for the end of the job in milliseconds. Default: 24 hours. */
  timeoutMs?: number | undefined
  /** Called whenever the job has changed, and at its end. */
  onProgress?: ((job: BulkJob) => void) | undefined
}

/** Events of a job until it ends. Each event contains the whole job, so a reconnect loses nothing. */
async function* followJob(
  transport: Transport,
  id: string,
  options: StreamOptions,
): AsyncGenerator<JobEvent, void, undefined> {
  for await (const { event, id: eventId, data } of followStream(transport, ['bulk', 'jobs', id, 'events'], options)) {
    // Other types may be added, with other data.
    if (event !== 'progress' && event !== 'end') continue
    yield { type: event, id: eventId, job: parseEventData<BulkJob>(data) }
    if (event === 'end') return
  }
}

const WAIT_TIMEOUT_MS = 24 * 60 * 60 * 1_000
/** Used when the account has as many open streams as it may have. */
const POLL_INTERVAL_MS = 5_000

type JobSource = { transport: Transport; get: (id: string, options: RequestOptions) => Promise<BulkJob> }

/** Waits for the end of a job by its event stream, or by polling if no stream is available. */
async function waitForJob(source: JobSource, id: string, options: WaitOptions): Promise<BulkJob> {
  const { timeoutMs = WAIT_TIMEOUT_MS, onProgress, signal, ...rest } = options
  checkTimeout(timeoutMs)
  const { controller, release } = linkSignal(signal)
  const expired = new TimeoutError('The job has not ended within timeoutMs. It continues; call wait again.')
  const clock = setTimeout(() => controller.abort(expired), timeoutMs)
  try {
    for await (const job of watchJob(source, id, { ...rest, signal: controller.signal })) {
      onProgress?.(job)
      if (job.finished_at !== null) return job
    }
    return await source.get(id, { signal: controller.signal })
  } finally {
    clearTimeout(clock)
    release()
  }
}

async function* watchJob({ transport, get }: JobSource, id: string, options: StreamOptions & { signal: AbortSignal }) {
  try {
    for await (const { job } of followJob(transport, id, options)) yield job
  } catch (error) {
    if (!(error instanceof ProbityApiError && error.code === 'too_many_streams')) throw error
    // Ended by the signal of `waitForJob`.
    while (true) {
      yield await get(id, { signal: options.signal })
      await delay(POLL_INTERVAL_MS, options.signal)
    }
  }
}
