import type {
  ChooseSheetRequest,
  CorrectUploadRequest,
  NonAddress,
  Upload,
  UploadPreview,
} from './generated/api-types.ts'
import { listBySkip, type PageOptions, type PagePromise } from './http/pages.ts'
import { type FileSource, type Form, sendForm, splitOptions, toBody, toQuery } from './http/request-body.ts'
import { type ApiPromise, createApiPromise } from './http/response.ts'
import { deleteObject, type IdempotentRequestOptions, type RequestOptions, type Transport } from './http/transport.ts'

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
  /** Uploads a CSV or XLSX file and returns its columns, counts and price. Nothing is validated or charged. Sent once, without retries. */
  create(file: FileSource, options?: CreateUploadOptions): ApiPromise<UploadPreview>
  /** Returns the preview again, with the counts of another column if `emailColumn` names one. */
  get(id: string, options?: GetUploadOptions): ApiPromise<UploadPreview>
  /** Uploads, newest first. */
  list(options?: RequestOptions & PageOptions): PagePromise<Upload>
  /** Chooses another sheet of a workbook. Returns the preview of a new upload, which replaces this one. */
  chooseSheet(id: string, sheet: string, options?: IdempotentRequestOptions): ApiPromise<UploadPreview>
  /** Values of the column that are not addresses. */
  nonAddresses(id: string, options?: GetUploadOptions & PageOptions): PagePromise<NonAddress>
  /** The same as CSV, with the columns `row`, `value` and `reason`. */
  downloadNonAddresses(id: string, options?: GetUploadOptions): ApiPromise<ReadableStream<Uint8Array>>
  /** Corrects up to 1,000 values of the column. Returns the preview of a new upload, which replaces this one. */
  correct(id: string, corrections: readonly Correction[], options?: CorrectOptions): ApiPromise<UploadPreview>
  /** Deletes an upload. */
  delete(id: string, options?: RequestOptions): ApiPromise<void>
}

/** A new value in a row; an empty one leaves the row without an address. */
export type Correction = { row: number; value: string }

export type CorrectOptions = IdempotentRequestOptions & {
  /** Column to correct: one of `columns` of the upload. Default: the suggested one. */
  emailColumn?: string | undefined
}

/** The service allows 300 seconds for the upload and needs some time to read the file. */
const UPLOAD_TIMEOUT_MS = 330_000

export function createUploadsApi(transport: Transport): UploadsApi {
  const pathOf = (...segments: string[]) => ['bulk', 'uploads', ...segments]
  const change = (call: IdempotentRequestOptions) =>
    ({ ...call, method: 'POST', timeoutMs: call.timeoutMs ?? UPLOAD_TIMEOUT_MS }) as const
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
      return transport.request({ ...call, method: 'GET', path: pathOf(id), query: toQuery(fields) })
    },
    list: (options = {}) => listBySkip(transport, pathOf(), options),
    chooseSheet(id, sheet, options = {}) {
      const json: ChooseSheetRequest = { sheet }
      return transport.request({ ...change(options), path: pathOf(id, 'sheets'), json })
    },
    nonAddresses: (id, options = {}) => listBySkip(transport, pathOf(id, 'non-addresses'), options),
    downloadNonAddresses(id, options = {}) {
      const { call, fields } = splitOptions(options)
      const query = toQuery({ ...fields, format: 'csv' })
      return transport.download({ ...call, method: 'GET', path: pathOf(id, 'non-addresses'), query })
    },
    correct(id, corrections, options = {}) {
      const { call, fields } = splitOptions(options)
      const json: CorrectUploadRequest = { corrections: [...corrections], ...toBody(fields) }
      return transport.request({ ...change(call), path: pathOf(id, 'corrections'), json })
    },
    delete: (id, options) => deleteObject(transport, pathOf(id), options),
  }
}
