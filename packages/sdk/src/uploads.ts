import type {
  ChooseHeaderRequest,
  ChooseSheetRequest,
  CorrectUploadRequest,
  DomainSuggestion,
  NonAddress,
  Upload,
  UploadPreview,
} from './generated/api-types.ts'
import { listBySkip, type PageOptions, type PagePromise } from './http/pages.ts'
import { type FileSource, type Form, sendForm, splitOptions, toBody, toQuery } from './http/request-body.ts'
import { type ApiPromise, createApiPromise } from './http/response.ts'
import { deleteObject, type IdempotentRequestOptions, type RequestOptions, type Transport } from './http/transport.ts'

/** How the cells of the column are read. The counts of a preview are those of a job if both have the same options. */
export type CellOptions = {
  /** Which addresses of a cell are validated. Default: `first`. */
  severalAddresses?: 'first' | 'all' | undefined
  /** Whether values with a syntax error that no repair can correct are validated, or left out. Default: `validate`. */
  malformed?: 'validate' | 'skip' | undefined
}

export type CreateUploadOptions = Omit<RequestOptions, 'maxRetries'> &
  CellOptions & {
    /** Name of the file. Default: the name of a `File`, else `upload.csv`. */
    filename?: string | undefined
  }

export type GetUploadOptions = RequestOptions &
  CellOptions & {
    /** Column to count: one of `columns` of the upload. Default: the suggested one. */
    emailColumn?: string | undefined
  }

export type ChangeUploadOptions = IdempotentRequestOptions & CellOptions

/** Uploaded files that are not jobs yet. They are deleted after 24 hours. Scopes: `jobs:read`, and `jobs:write` for changes. */
export type UploadsApi = {
  /** Uploads a CSV or XLSX file and returns its columns, counts and price. Nothing is validated or charged. Sent once, without retries. */
  create(file: FileSource, options?: CreateUploadOptions): ApiPromise<UploadPreview>
  /** Returns the preview again, with the counts of another column if `emailColumn` names one. */
  get(id: string, options?: GetUploadOptions): ApiPromise<UploadPreview>
  /** Uploads, newest first. */
  list(options?: RequestOptions & PageOptions): PagePromise<Upload>
  /** Chooses another sheet of a workbook. Returns the preview of a new upload, which replaces this one. */
  chooseSheet(id: string, sheet: string, options?: ChangeUploadOptions): ApiPromise<UploadPreview>
  /** Chooses the row with the column names, or null for none. Returns the preview of a new upload, which replaces this one. */
  chooseHeader(id: string, headerRow: number | null, options?: ChangeUploadOptions): ApiPromise<UploadPreview>
  /** Values of the column that are not addresses. */
  nonAddresses(id: string, options?: GetUploadOptions & PageOptions): PagePromise<NonAddress>
  /** The same as CSV, with the columns `row`, `value` and `reason`. */
  downloadNonAddresses(id: string, options?: GetUploadOptions): ApiPromise<ReadableStream<Uint8Array>>
  /** Cells with an address whose domain looks mistyped, and the domain that was probably meant. */
  suggestions(id: string, options?: GetUploadOptions & PageOptions): PagePromise<DomainSuggestion>
  /** Corrects up to 1,000 values of the column, or accepts all suggestions. Returns the preview of a new upload, which replaces this one. */
  correct(id: string, corrections: readonly Correction[], options?: CorrectOptions): ApiPromise<UploadPreview>
  /** Deletes an upload. */
  delete(id: string, options?: RequestOptions): ApiPromise<void>
}

/** A new value in a row; an empty one leaves the row without an address. */
export type Correction = { row: number; value: string }

export type CorrectOptions = ChangeUploadOptions & {
  /** Column to correct: one of `columns` of the upload. Default: the suggested one. */
  emailColumn?: string | undefined
  /** Whether to accept the suggestions for all cells that `corrections` does not name. Default: false. */
  acceptSuggestions?: boolean | undefined
}

/** The service allows 300 seconds for the upload and needs some time to read the file. */
const UPLOAD_TIMEOUT_MS = 330_000

export function createUploadsApi(transport: Transport): UploadsApi {
  const pathOf = (...segments: string[]) => ['bulk', 'uploads', ...segments]
  const change = (call: IdempotentRequestOptions) =>
    ({ ...call, method: 'POST', timeoutMs: call.timeoutMs ?? UPLOAD_TIMEOUT_MS }) as const
  return {
    create(file, { filename, timeoutMs = UPLOAD_TIMEOUT_MS, ...options } = {}) {
      const { call, fields } = splitOptions(options)
      const path = ['bulk', 'upload', 'preview']
      // A stream can be read once, so the file is sent once.
      const spec = { ...call, timeoutMs, method: 'POST', path, query: toQuery(fields), sendOnce: true } as const
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
      const { call, fields } = splitOptions(options)
      const json: ChooseSheetRequest = { sheet, ...toBody(fields) }
      return transport.request({ ...change(call), path: pathOf(id, 'sheets'), json })
    },
    chooseHeader(id, headerRow, options = {}) {
      const { call, fields } = splitOptions(options)
      const json: ChooseHeaderRequest = { header_row: headerRow, ...toBody(fields) }
      return transport.request({ ...change(call), path: pathOf(id, 'header'), json })
    },
    nonAddresses: (id, options = {}) => listBySkip(transport, pathOf(id, 'non-addresses'), options),
    downloadNonAddresses(id, options = {}) {
      const { call, fields } = splitOptions(options)
      const query = toQuery({ ...fields, format: 'csv' })
      return transport.download({ ...call, method: 'GET', path: pathOf(id, 'non-addresses'), query })
    },
    suggestions: (id, options = {}) => listBySkip(transport, pathOf(id, 'suggestions'), options),
    correct(id, corrections, options = {}) {
      const { call, fields } = splitOptions(options)
      const json: CorrectUploadRequest = { corrections: [...corrections], ...toBody(fields) }
      return transport.request({ ...change(call), path: pathOf(id, 'corrections'), json })
    },
    delete: (id, options) => deleteObject(transport, pathOf(id), options),
  }
}
