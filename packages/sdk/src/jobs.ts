import type { ApiPromise } from './api-promise.ts'
import type {
  BulkJob,
  ConfirmUploadRequest,
  ConfirmUploadResult,
  JobBreakdown,
  JobStatus,
  WebhookDelivery,
  WebhookDeliveryDetail,
} from './generated/wire.ts'
import { followJob, type JobEvent, type WaitOptions, waitForJob } from './job-events.ts'
import { createJobResultsApi, type JobResultsApi } from './job-results.ts'
import { listBySkip, type PageOptions, type PagePromise } from './pages.ts'
import type { StreamOptions } from './server-sent-events.ts'
import { splitOptions, toWire } from './to-wire.ts'
import { deleteObject, type IdempotentRequestOptions, type RequestOptions, type Transport } from './transport.ts'

export type CreateJobOptions = IdempotentRequestOptions & {
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

export type JobFilter = {
  /** Only jobs with this status, or one of these. */
  status?: JobStatus | readonly JobStatus[] | undefined
  /** Only jobs whose `filename` contains this text, in upper or lower case. */
  search?: string | undefined
}

/** Jobs: the asynchronous validation of uploaded files. Scopes: `jobs:read`, and `jobs:write` for changes. */
export type JobsApi = {
  /** Results of jobs. */
  readonly results: JobResultsApi
  /** Requests to the `callbackUrl` of jobs. */
  readonly callback: JobCallbackApi
  /** Creates a job from an upload and reserves its credits. An upload becomes one job, however often this is called. */
  create(uploadId: string, options: CreateJobOptions): ApiPromise<ConfirmUploadResult>
  /** One job with its status, progress and counts. */
  get(id: string, options?: RequestOptions): ApiPromise<BulkJob>
  /** Jobs, newest first. */
  list(options?: RequestOptions & PageOptions & JobFilter): PagePromise<BulkJob>
  /** Stops the job until it is resumed. Addresses in progress are completed. */
  pause(id: string, options?: IdempotentRequestOptions): ApiPromise<BulkJob>
  /** Continues a paused job. */
  resume(id: string, options?: IdempotentRequestOptions): ApiPromise<BulkJob>
  /** Ends the job. Its results so far are kept, and unused credits are released. */
  cancel(id: string, options?: IdempotentRequestOptions): ApiPromise<BulkJob>
  /** Deletes the job with its file, addresses and results. */
  delete(id: string, options?: RequestOptions): ApiPromise<void>
  /** Counts by reason, provider and domain, and what each preset would keep and remove. */
  breakdown(id: string, options?: RequestOptions): ApiPromise<JobBreakdown>
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
    create(uploadId, options) {
      const { call, fields } = splitOptions(options)
      const json: ConfirmUploadRequest = { upload_id: uploadId, ...toWire(fields) }
      return request({ ...call, method: 'POST', path: ['bulk', 'upload', 'confirm'], json })
    },
    get: getJob,
    list: (options = {}) => listBySkip(transport, pathOf(), options),
    pause: (id, options) => post(pathOf(id, 'pause'), options),
    resume: (id, options) => post(pathOf(id, 'resume'), options),
    cancel: (id, options) => post(pathOf(id, 'cancel'), options),
    delete: (id, options) => deleteObject(transport, pathOf(id), options),
    breakdown: (id, options) => get(pathOf(id, 'breakdown'), options),
    events: (id, options = {}) => followJob(transport, id, options),
    wait: (id, options = {}) => waitForJob({ transport, get: getJob }, id, options),
  }
}
