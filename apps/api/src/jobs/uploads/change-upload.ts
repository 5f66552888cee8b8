import { createReadStream } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import {
  CorrectionsRequest,
  HeaderRequest,
  NonAddressPage,
  NonAddressQuery,
  NonAddressSheet,
  SheetRequest,
  SuggestionPage,
  SuggestionQuery,
} from '@probity/contract/schemas/jobs/upload-changes'
import { UploadParams, UploadPreview } from '@probity/contract/schemas/jobs/uploads'
import { getAccount } from '@probity/database/accounts/accounts'
import { inTenant } from '@probity/database/connection/connect'
import { type Draft, findDraft } from '@probity/database/jobs/uploads'
import { readNonAddresses } from '@probity/uploads/correct-cells'
import type { Layout } from '@probity/uploads/read-addresses'
import type { Convert } from '@probity/uploads/storage'
import { stringify } from 'csv-stringify/sync'
import { defuseCell } from '../../http/exports/defuse-cell.ts'
import { attachment, EXPORT_LIMITS, openExports } from '../../http/exports/send-export.ts'
import { BODY_PROBLEMS, MIDDLEWARE_PROBLEMS, operation } from '../../http/openapi.ts'
import { keepFilter, readPage, sendPageHeaders } from '../../http/page.ts'
import { found, invalidField, Problem } from '../../http/problem.ts'
import { disconnectSignal } from '../../http/request-body.ts'
import type { Route } from '../../http/route.ts'
import { storable } from '../../http/text.ts'
import { type Auth, viewOf } from '../../middleware/authentication/auth.ts'
import { READS_FILE_MS } from '../../middleware/load-shedding/time-limits.ts'
import { convertReceived, keepUpload, type UploadServices } from './keep-upload.ts'
import type { FileReading } from './reader.ts'
import { getReading, readCellOptions } from './stored-preview.ts'

const reading = { scope: 'jobs:read', handlerTimeoutMs: READS_FILE_MS } as const
const changing = { scope: 'jobs:write', loadClass: 'list', handlerTimeoutMs: READS_FILE_MS } as const
/** A thousand addresses of the greatest length have this many bytes. */
const CORRECTIONS_BYTES_MAX = 1_040 * 1024

const CHANGE_PROBLEMS = [
  'not_found',
  'empty_file',
  'no_email_column',
  'too_many_emails',
  'too_many_uploads',
  ...BODY_PROBLEMS,
] satisfies Parameters<typeof operation>[0]['problems']

/** Chooses another sheet of an uploaded workbook. */
export const chooseSheet: Route<UploadServices> = async (app, services) => {
  const schema = operation(
    {
      id: 'createUploadFromSheet',
      tag: 'Jobs',
      summary: 'Choose another sheet of a workbook',
      description:
        'Creates an upload with the rows of another sheet, and deletes this one. The workbook is stored with the upload until one of its sheets is confirmed.',
      problems: [
        'file_removed',
        'not_csv',
        'file_too_large',
        'record_too_long',
        'too_many_columns',
        'too_many_rows',
        ...CHANGE_PROBLEMS,
      ],
    },
    { params: UploadParams, body: SheetRequest, response: { 200: UploadPreview } },
  )
  app.post('/bulk/uploads/:upload_id/sheets', { schema, config: changing }, async ({ auth, params, body }, reply) => {
    const { draft, emailsMax } = await getDraft(services, auth, params.upload_id)
    const signal = disconnectSignal(reply)
    const options = { accountId: auth.accountId, emailsMax, cells: readCellOptions(body), signal }
    const { sheets } = await getReading(services, draft, { ...options, column: undefined })
    if (!sheets.includes(body.sheet)) throw invalidField('/sheet', 'is not a sheet of the workbook')
    return convertSheet(services, auth, { draft, options: { ...options, sheet: body.sheet } })
  })
}

/** Chooses the row with the column names. */
export const chooseHeader: Route<UploadServices> = async (app, services) => {
  const schema = operation(
    {
      id: 'createUploadWithHeader',
      tag: 'Jobs',
      summary: 'Choose the header row of an upload',
      description:
        'Creates an upload with another row as its header, or without one, and deletes this one. Rows above the header are not part of the list.',
      problems: ['file_removed', ...CHANGE_PROBLEMS],
    },
    { params: UploadParams, body: HeaderRequest, response: { 200: UploadPreview } },
  )
  app.post('/bulk/uploads/:upload_id/header', { schema, config: changing }, async ({ auth, params, body }, reply) => {
    const { draft, emailsMax } = await getDraft(services, auth, params.upload_id)
    const { header_row: headerRow } = body
    const options = {
      ...{ accountId: auth.accountId, emailsMax, cells: readCellOptions(body), headerRow },
      signal: disconnectSignal(reply),
    }
    const { sheets, sheet } = await getReading(services, draft, { ...options, column: undefined })
    if (sheet !== null && sheets.length > 1)
      return convertSheet(services, auth, { draft, options: { ...options, sheet } })
    return services.storage.lend(draft.storageKey, (path) =>
      replaceUpload(services, auth, { draft, path }, async (from, to) => {
        await copyFile(from, to)
        const read = await services.uploadReader.read(to, options)
        return { reading: { ...read, sheets, sheet }, keepsOriginal: false }
      }),
    )
  })
}

/** Corrects values of the email column before the upload is confirmed. */
export const correctUpload: Route<UploadServices> = async (app, services) => {
  const schema = operation(
    {
      id: 'createCorrectedUpload',
      tag: 'Jobs',
      summary: 'Correct values of an upload',
      description:
        'Creates an upload with other values in the email column, and deletes this one. All other cells and the order of the rows are kept. An empty value leaves a row without an address. With `accept_suggestions`, all mistyped domains are replaced by their suggestions.',
      problems: ['unknown_column', 'record_too_long', ...CHANGE_PROBLEMS],
    },
    { params: UploadParams, body: CorrectionsRequest, response: { 200: UploadPreview } },
  )
  app.post(
    '/bulk/uploads/:upload_id/corrections',
    { schema, config: changing, bodyLimit: CORRECTIONS_BYTES_MAX },
    async ({ auth, params, body }, reply) => {
      const { draft, emailsMax } = await getDraft(services, auth, params.upload_id)
      const { accept_suggestions: acceptsSuggestions = false } = body
      if (body.corrections.length === 0 && !acceptsSuggestions) throw invalidField('/corrections', 'is empty')
      const cells = readCellOptions(body)
      const options = { accountId: auth.accountId, emailsMax, cells, signal: disconnectSignal(reply) }
      const layout: Layout = await getReading(services, draft, { ...options, column: body.email_column })
      const corrections = body.corrections.map(({ row, value }) => ({ row, value: storable(value) }))
      return services.storage.lend(draft.storageKey, (path) =>
        replaceUpload(services, auth, { draft, path }, async (from, to) => {
          const correction = { layout, corrections, acceptsSuggestions }
          const corrected = await services.uploadReader.correct(from, to, { ...options, correction })
          // Other sheets can no longer be chosen: the corrections would be lost without a notice.
          return { reading: corrected, keepsOriginal: false }
        }),
      )
    },
  )
}

/** Lists the values of the email column that are not addresses. */
export const listNonAddresses: Route<UploadServices> = async (app, services) => {
  const schema = operation(
    {
      id: 'listUploadNonAddresses',
      tag: 'Jobs',
      summary: 'List the values of an upload that are not addresses',
      description:
        'Values without an address, which are neither validated nor charged, and addresses with a syntax error that no repair can correct. `csv` has all of them.',
      problems: ['invalid_request', 'not_found', 'unknown_column', 'too_many_emails', ...MIDDLEWARE_PROBLEMS],
    },
    { params: UploadParams, querystring: NonAddressQuery, response: { 200: ANSWERS } },
  )
  const sendExport = openExports(EXPORT_LIMITS)
  const options = { schema, config: reading, exposeHeadRoute: false } as const
  app.get('/bulk/uploads/:upload_id/non-addresses', options, async ({ auth, params, query }, reply) => {
    const { draft, emailsMax } = await getDraft(services, auth, params.upload_id)
    const { email_column: column, format = 'json' } = query
    const signal = disconnectSignal(reply)
    const wanted = { accountId: auth.accountId, emailsMax, column, cells: readCellOptions(query), signal }
    const layout: Layout = await getReading(services, draft, wanted)
    if (format === 'csv') {
      const disposition = attachment(draft.filename, { content: 'not-addresses', ending: 'csv' })
      const chunks = writeNonAddresses(() => services.storage.open(draft.storageKey), layout)
      return sendExport(reply, auth.accountId, { type: 'text/csv; charset=utf-8', disposition, chunks })
    }
    const page = readPage(query)
    const found = await services.uploadReader.listNonAddresses(draft.storageKey, layout, {
      accountId: auth.accountId,
      signal,
      ...page,
    })
    sendPageHeaders(reply, page, found.total)
    keepFilter(reply, repeatQuery(query))
    return found.values
  })
}

/** The column and the options as query parameters, for the links to other pages. */
function repeatQuery({ email_column, several_addresses, malformed }: SuggestionQuery): Record<string, string> {
  const given = Object.entries({ email_column, several_addresses, malformed })
  return Object.fromEntries(given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

/** Lists the cells whose domain looks mistyped. */
export const listSuggestions: Route<UploadServices> = async (app, services) => {
  const schema = operation(
    {
      id: 'listUploadSuggestions',
      tag: 'Jobs',
      summary: 'List the domain suggestions for an upload',
      description:
        'Cells with an address whose domain looks mistyped, and the domain that was probably meant. Nothing is changed unless a suggestion is sent as a correction.',
      problems: ['invalid_request', 'not_found', 'unknown_column', 'too_many_emails', ...MIDDLEWARE_PROBLEMS],
    },
    { params: UploadParams, querystring: SuggestionQuery, response: { 200: SuggestionPage } },
  )
  app.get(
    '/bulk/uploads/:upload_id/suggestions',
    { schema, config: reading },
    async ({ auth, params, query }, reply) => {
      const { draft, emailsMax } = await getDraft(services, auth, params.upload_id)
      const { accountId } = auth
      const signal = disconnectSignal(reply)
      const wanted = { accountId, emailsMax, column: query.email_column, cells: readCellOptions(query), signal }
      const layout: Layout = await getReading(services, draft, wanted)
      const page = readPage(query)
      const found = await services.uploadReader.listSuggestions(draft.storageKey, layout, {
        ...{ accountId, signal },
        ...page,
      })
      sendPageHeaders(reply, page, found.total)
      keepFilter(reply, repeatQuery(query))
      return found.values
    },
  )
}

const ANSWERS = {
  description: 'The values, in the requested format.',
  content: { 'application/json': { schema: NonAddressPage }, 'text/csv': { schema: NonAddressSheet } },
}

async function* writeNonAddresses(...source: Parameters<typeof readNonAddresses>): AsyncGenerator<string> {
  const write = (rows: string[][]) => stringify(rows, { quoted: true, record_delimiter: 'windows' })
  // For Excel, which reads UTF-8 with a byte order mark only.
  yield `\uFEFF${write([['row', 'value', 'reason']])}`
  for await (const values of readNonAddresses(...source)) {
    yield write(values.map(({ row, value, reason }) => [String(row), defuseCell(value), reason]))
  }
}

async function getDraft({ db }: UploadServices, auth: Auth, uploadId: string) {
  return inTenant(db, auth.accountId, async (trx) => {
    const draft = found(await findDraft(trx, viewOf(auth), uploadId))
    const { plan } = await getAccount(trx, auth.accountId)
    return { draft, emailsMax: plan.emailsPerFile }
  })
}

type SheetConversion = { draft: Draft; options: Parameters<UploadServices['uploadReader']['convert']>[2] }

/** Stores the rows of a sheet as a new upload. The workbook stays with it, so that another sheet can still be chosen. */
async function convertSheet(services: UploadServices, auth: Auth, { draft, options }: SheetConversion) {
  const preview = await services.storage.lendOriginal(draft.storageKey, (path) =>
    replaceUpload(services, auth, { draft, path }, async (from, to) => {
      const converted = await services.uploadReader.convert(from, to, options)
      return { reading: converted, keepsOriginal: true }
    }),
  )
  if (preview === undefined) throw new Problem('file_removed', 'The workbook is no longer stored.')
  return preview
}

type Source = { draft: Draft; path: string }
type Write = (from: string, to: string) => Promise<{ reading: FileReading; keepsOriginal: boolean }>

/** Stores a new upload in place of another, from a local file of the latter. */
async function replaceUpload(services: UploadServices, auth: Auth, { draft, path }: Source, write: Write) {
  const look = ({ convert }: { convert: Convert }) => convertReceived(convert, write)
  const saved = await services.storage.lookAndSave(createReadStream(path), look)
  return keepUpload(services, auth, { ...saved, filename: draft.filename }, draft)
}
