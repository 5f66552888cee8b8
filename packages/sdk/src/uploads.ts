import { type ApiPromise, createApiPromise } from './api-promise.ts'
import type { Upload, UploadPreview } from './generated/wire.ts'
import { type FileSource, type Form, sendForm } from './multipart.ts'
import { listBySkip, type PageOptions, type PagePromise } from './pages.ts'
import { splitOptions, toQuery } from './to-wire.ts'
import { deleteObject, type RequestOptions, type Transport } from './transport.ts'

export type CreateUploadOptions = Omit<RequestOptions, 'maxRetries'> & {
  /** Name of the file. Default: the name of a `File`, else `upload.csv`. */
  filename?: string | undefined
}

export type GetUploadOptions = RequestOptions & {
  /** Column to count: one of `columns` of the upload. Default: the suggested one. */
  emailColumn?: string | undefined
}

/** Uploaded files that are not jobs yet. They are deleted after 24 hours. Scopes: `jobs:read`, and `jobs:write` for changes. */
export type UploadsApi = {
  /** Uploads a CSV and returns its columns, counts and price. Nothing is validated or charged. Sent once, without retries. */
  create(file: FileSource, options?: CreateUploadOptions): ApiPromise<UploadPreview>
  /** Returns the preview again, with the counts of another column if `emailColumn` names one. */
  get(id: string, options?: GetUploadOptions): ApiPromise<UploadPreview>
  /** Uploads, newest first. */
  list(options?: RequestOptions & PageOptions): PagePromise<Upload>
  /** Deletes an upload. */
  delete(id: string, options?: RequestOptions): ApiPromise<void>
}

/** The service allows 300 seconds for the upload and needs some time to read the file. */
const UPLOAD_TIMEOUT_MS = 330_000

export function createUploadsApi(transport: Transport): UploadsApi {
  return {
    create(file, { filename, timeoutMs = UPLOAD_TIMEOUT_MS, ...options } = {}) {
      const path = ['bulk', 'upload', 'preview']
      // A stream can be read once, so the file is sent once.
      const spec = { ...options, timeoutMs, method: 'POST', path, sendOnce: true } as const
      const send = ({ body, headers = {} }: Form) =>
        transport.request<UploadPreview>({ ...spec, body, fixedHeaders: headers }).withResponse()
      return createApiPromise(sendForm(file, filename, send))
    },
    get(id, options = {}) {
      const { call, fields } = splitOptions(options)
      return transport.request({ ...call, method: 'GET', path: ['bulk', 'uploads', id], query: toQuery(fields) })
    },
    list: (options = {}) => listBySkip(transport, ['bulk', 'uploads'], options),
    delete: (id, options) => deleteObject(transport, ['bulk', 'uploads', id], options),
  }
}
