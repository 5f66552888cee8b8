import { asCall, type Call } from './call.ts'
import type { CallOptions, Connection, IdempotentCallOptions } from './connection.ts'
import { type EventOptions, followList, type ListEvent } from './events.ts'
import type {
  BulkJob,
  ConfirmUploadRequest,
  ConfirmUploadResult,
  JobBreakdown,
  JobResult,
  JobStatus,
  Upload,
  UploadPreview,
  WebhookDelivery,
  WebhookDeliveryDetail,
} from './generated/wire.ts'
import { listAll, type PageOptions } from './pages.ts'
import {
  type DownloadOptions,
  downloadResults,
  getResult,
  pageResults,
  type ResultOptions,
  readResults,
} from './results.ts'
import { type FileSource, sendForm } from './upload.ts'
import { type WaitOptions, waitForList } from './wait.ts'

export type PreviewOptions = CallOptions & {
  /** What the file is called; a File has a name of its own. */
  filename?: string | undefined
}

export type PreviewAgainOptions = CallOptions & {
  /** Which column to count: one of `columns` of the preview. The suggested one if left out. */
  emailColumn?: string | undefined
}

export type ListFilter = {
  /** Only lists with this status, or one of these. */
  status?: JobStatus | readonly JobStatus[] | undefined
  /** Only lists whose `filename` holds this text, in upper or lower case. */
  search?: string | undefined
}

export type ConfirmOptions = IdempotentCallOptions & {
  /** `upload_id` of the preview. */
  uploadId: string
  /** The column that holds the addresses: one of `columns` of the preview. */
  emailColumn: string
  /** Text of your own, up to 200 characters, shown with the job and in its webhooks. */
  reference?: string | undefined
  /** Maximum age, in seconds, of an earlier result that the job may use; every address is validated if left out. */
  maxAgeS?: number | undefined
  /** Receives the event that ends the job, signed with the callback secret of the account (`webhooks.callbackSecret`). */
  callbackUrl?: string | undefined
}

/** Files of addresses. Scopes: `jobs:read`, and `jobs:write` to upload, start and change. */
export type Lists = {
  /** Sends a CSV and says what is in it. Nothing is validated or charged. */
  preview(file: FileSource, options?: PreviewOptions): Call<UploadPreview>
  /** The preview once more, with the counts of another column where one is named. */
  previewAgain(uploadId: string, options?: PreviewAgainOptions): Call<UploadPreview>
  /** One page of the uploads that were not confirmed yet, newest first. */
  uploads(options?: PageOptions): Call<Upload[]>
  /** Removes an upload that was not confirmed. */
  removeUpload(uploadId: string, options?: CallOptions): Call<void>
  /** Makes an upload a list and sets its credits aside, once however often it is called. */
  confirm(options: ConfirmOptions): Call<ConfirmUploadResult>
  get(id: string, options?: CallOptions): Call<BulkJob>
  /** One page, newest first. */
  list(options?: PageOptions & ListFilter): Call<BulkJob[]>
  /** All lists, newest first, fetched page by page. */
  all(options?: CallOptions & ListFilter): AsyncGenerator<BulkJob, void, undefined>
  /** No address is taken up until the list is resumed. */
  pause(id: string, options?: IdempotentCallOptions): Call<BulkJob>
  resume(id: string, options?: IdempotentCallOptions): Call<BulkJob>
  /** Ends the list; its results so far are kept and its unused credits returned. */
  cancel(id: string, options?: IdempotentCallOptions): Call<BulkJob>
  /** Removes the list with its file, its addresses and its results. */
  remove(id: string, options?: CallOptions): Call<void>
  /** Result by result, in the order of the rows of the file. While the list is under way these are the results so far. */
  results(id: string, options?: ResultOptions): AsyncGenerator<JobResult, void, undefined>
  /** One page of results. */
  resultPage(id: string, options?: ResultOptions & PageOptions): Call<JobResult[]>
  /** One result with all its evidence, by its `row`. */
  result(id: string, row: number, options?: CallOptions): Call<JobResult>
  /** The results in numbers: by reason, provider and domain, and what each preset would keep. */
  breakdown(id: string, options?: CallOptions): Call<JobBreakdown>
  /** All results as a file, as it comes. One that breaks off ends in an error. */
  download(id: string, options: DownloadOptions): Call<ReadableStream<Uint8Array>>
  /** How the list stands, whenever that changes, until it has ended. */
  events(id: string, options?: EventOptions): AsyncGenerator<ListEvent, void, undefined>
  /** Waits until the list has ended, whichever way: see `status`. */
  wait(id: string, options?: WaitOptions): Promise<BulkJob>
  /** The delivery of the event that ended the job to its `callbackUrl`. */
  callback(id: string, options?: CallOptions): Call<WebhookDeliveryDetail>
  /** Resends that event, in any status of the delivery. */
  resendCallback(id: string, options?: CallOptions): Call<WebhookDelivery>
}

/** Sending a file may take 300 seconds, and reading it a little longer. */
const UPLOAD_TIMEOUT_MS = 330_000

export function listsOf(connection: Connection): Lists {
  const { ask } = connection
  const control = (id: string, wish: string, { idempotencyKey, ...options }: IdempotentCallOptions = {}) =>
    ask<BulkJob>({ ...options, method: 'POST', path: ['bulk', 'jobs', id, wish], repeatable: { idempotencyKey } })
  const get = (id: string, options: CallOptions = {}) =>
    ask<BulkJob>({ ...options, method: 'GET', path: ['bulk', 'jobs', id], repeatable: true })
  const list = ({ skip, limit, status, search, ...options }: PageOptions & ListFilter = {}) => {
    const query = { skip, limit, status: typeof status === 'string' ? status : status?.join(), search }
    return ask<BulkJob[]>({ ...options, method: 'GET', path: ['bulk', 'jobs'], query, repeatable: true })
  }
  return {
    preview: (file, options = {}) => sendFile(connection, file, options),
    ...uploadsOf(connection),
    confirm: ({ uploadId, emailColumn, reference, maxAgeS, callbackUrl, idempotencyKey, ...options }) =>
      ask({
        ...options,
        method: 'POST',
        path: ['bulk', 'upload', 'confirm'],
        json: {
          upload_id: uploadId,
          email_column: emailColumn,
          ...(reference !== undefined && { reference }),
          ...(maxAgeS !== undefined && { max_age_s: maxAgeS }),
          ...(callbackUrl !== undefined && { callback_url: callbackUrl }),
        } satisfies ConfirmUploadRequest,
        repeatable: { idempotencyKey },
      }),
    get,
    list,
    all: ({ status, search, ...options } = {}) => listAll((page) => list({ ...page, status, search }), options),
    pause: (id, options) => control(id, 'pause', options),
    resume: (id, options) => control(id, 'resume', options),
    cancel: (id, options) => control(id, 'cancel', options),
    // Not sent twice: the second would be told that there is no such list.
    remove: (id, options = {}) => ask({ ...options, method: 'DELETE', path: ['bulk', 'jobs', id], repeatable: false }),
    results: (id, options = {}) => readResults(connection, id, options),
    resultPage: (id, options = {}) => pageResults(connection, id, options),
    result: (id, row, options = {}) => getResult(connection, { id, row }, options),
    breakdown: (id, options = {}) =>
      ask({ ...options, method: 'GET', path: ['bulk', 'jobs', id, 'breakdown'], repeatable: true }),
    download: (id, options) => downloadResults(connection, id, options),
    events: (id, options = {}) => followList(connection, id, options),
    wait: (id, options = {}) => waitForList({ get, connection }, id, options),
    callback: (id, options = {}) =>
      ask({ ...options, method: 'GET', path: ['bulk', 'jobs', id, 'callback'], repeatable: true }),
    resendCallback: (id, options = {}) =>
      ask({ ...options, method: 'POST', path: ['bulk', 'jobs', id, 'callback', 'resend'], repeatable: false }),
  }
}

function uploadsOf({ ask }: Connection): Pick<Lists, 'previewAgain' | 'uploads' | 'removeUpload'> {
  const pathOf = (uploadId: string) => ['bulk', 'uploads', uploadId]
  return {
    previewAgain: (uploadId, { emailColumn, ...options } = {}) => {
      const query = { email_column: emailColumn }
      return ask({ ...options, method: 'GET', path: pathOf(uploadId), query, repeatable: true })
    },
    uploads: ({ skip, limit, ...options } = {}) =>
      ask({ ...options, method: 'GET', path: ['bulk', 'uploads'], query: { skip, limit }, repeatable: true }),
    // Not sent twice, as with lists.
    removeUpload: (uploadId, options = {}) =>
      ask({ ...options, method: 'DELETE', path: pathOf(uploadId), repeatable: false }),
  }
}

/** A stream can be read once, so the file is sent once. */
function sendFile(connection: Connection, file: FileSource, options: PreviewOptions): Call<UploadPreview> {
  const { filename, timeoutMs = UPLOAD_TIMEOUT_MS, signal } = options
  const wish = { method: 'POST', path: ['bulk', 'upload', 'preview'], repeatable: false, signal, timeoutMs } as const
  return asCall(sendForm(file, filename, (form) => connection.ask<UploadPreview>({ ...wish, ...form }).withResponse()))
}
