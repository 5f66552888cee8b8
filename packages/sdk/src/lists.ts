import { asCall, type Call } from './call.ts'
import type { CallOptions, Connection, SpendOptions } from './connection.ts'
import { type EventOptions, followList, type ListEvent } from './events.ts'
import type { BulkJob, JobCreated, ListResult, UploadConfirmation, UploadPreview } from './generated/wire.ts'
import { listAll, type PageOptions } from './pages.ts'
import { type DownloadOptions, downloadResults, pageResults, type ResultOptions, readResults } from './results.ts'
import { type FileSource, sendForm } from './upload.ts'
import { type WaitOptions, waitForList } from './wait.ts'

export type PreviewOptions = CallOptions & {
  /** What the file is called; a File has a name of its own. */
  filename?: string | undefined
}

export type ConfirmOptions = SpendOptions & {
  /** `upload_id` of the preview. */
  uploadId: string
  /** The column that holds the addresses: one of `columns` of the preview. */
  emailColumn: string
}

/** Files of addresses. Needs a key with the scope `bulk`. */
export type Lists = {
  /** Sends a CSV and says what is in it. Nothing is validated or charged. */
  preview(file: FileSource, options?: PreviewOptions): Call<UploadPreview>
  /** Makes an upload a list and sets its credits aside, once however often it is called. */
  confirm(options: ConfirmOptions): Call<JobCreated>
  get(id: string, options?: CallOptions): Call<BulkJob>
  /** One page, newest first. */
  list(options?: PageOptions): Call<BulkJob[]>
  /** All lists, newest first, fetched page by page. */
  all(options?: CallOptions): AsyncGenerator<BulkJob, void, undefined>
  /** No address is taken up until the list is resumed. */
  pause(id: string, options?: CallOptions): Call<BulkJob>
  resume(id: string, options?: CallOptions): Call<BulkJob>
  /** Ends the list; its results so far are kept and its unused credits returned. */
  cancel(id: string, options?: CallOptions): Call<BulkJob>
  /** Removes the list with its file, its addresses and its results. */
  remove(id: string, options?: CallOptions): Call<void>
  /** Result by result, in the order of the rows of the file. While the list is under way these are the results so far. */
  results(id: string, options?: ResultOptions): AsyncGenerator<ListResult, void, undefined>
  /** One page of results. */
  resultPage(id: string, options?: ResultOptions & PageOptions): Call<ListResult[]>
  /** All results as a file, as it comes. One that breaks off ends in an error. */
  download(id: string, options: DownloadOptions): Call<ReadableStream<Uint8Array>>
  /** How the list stands, whenever that changes, until it has ended. */
  events(id: string, options?: EventOptions): AsyncGenerator<ListEvent, void, undefined>
  /** Waits until the list has ended, whichever way: see `status`. */
  wait(id: string, options?: WaitOptions): Promise<BulkJob>
}

/** Sending a file may take 300 seconds, and reading it a little longer. */
const UPLOAD_TIMEOUT_MS = 330_000

export function listsOf(connection: Connection): Lists {
  const { ask } = connection
  const control = (id: string, wish: string, options: CallOptions = {}) =>
    ask<BulkJob>({ ...options, method: 'POST', path: ['bulk', 'jobs', id, wish], repeatable: true })
  const get = (id: string, options: CallOptions = {}) =>
    ask<BulkJob>({ ...options, method: 'GET', path: ['bulk', 'jobs', id], repeatable: true })
  const list = ({ skip, limit, ...options }: PageOptions = {}) =>
    ask<BulkJob[]>({ ...options, method: 'GET', path: ['bulk', 'jobs'], query: { skip, limit }, repeatable: true })
  return {
    preview: (file, options = {}) => sendFile(connection, file, options),
    confirm: ({ uploadId, emailColumn, idempotencyKey, ...options }) =>
      ask({
        ...options,
        method: 'POST',
        path: ['bulk', 'upload', 'confirm'],
        json: { upload_id: uploadId, email_column: emailColumn } satisfies UploadConfirmation,
        repeatable: { idempotencyKey },
      }),
    get,
    list,
    all: (options = {}) => listAll(list, options),
    pause: (id, options) => control(id, 'pause', options),
    resume: (id, options) => control(id, 'resume', options),
    cancel: (id, options) => control(id, 'cancel', options),
    // Not sent twice: the second would be told that there is no such list.
    remove: (id, options = {}) => ask({ ...options, method: 'DELETE', path: ['bulk', 'jobs', id], repeatable: false }),
    results: (id, options = {}) => readResults(connection, id, options),
    resultPage: (id, options = {}) => pageResults(connection, id, options),
    download: (id, options) => downloadResults(connection, id, options),
    events: (id, options = {}) => followList(connection, id, options),
    wait: (id, options = {}) => waitForList({ get, connection }, id, options),
  }
}

/** A stream can be read once, so the file is sent once. */
function sendFile(connection: Connection, file: FileSource, options: PreviewOptions): Call<UploadPreview> {
  const { filename, timeoutMs = UPLOAD_TIMEOUT_MS, signal } = options
  const wish = { method: 'POST', path: ['bulk', 'upload', 'preview'], repeatable: false, signal, timeoutMs } as const
  return asCall(sendForm(file, filename, (form) => connection.ask<UploadPreview>({ ...wish, ...form }).withResponse()))
}
