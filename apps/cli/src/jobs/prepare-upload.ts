import { WITHOUT_PROBING, WITHOUT_RESOLVER } from '@probity/contract/constants/system'
import { describeLines } from '@probity/contract/constants/texts/jobs'
import type { Probity, UploadPreview } from '@probity/sdk'
import { CliError } from '../cli-error.ts'
import { ask, choose } from '../confirm.ts'
import { countOf, formatCount } from '../output/format.ts'
import type { Run } from '../run.ts'

/** How a file is read. */
export type ReadFlags = {
  column?: string
  sheet?: string
  /** 0 for none. */
  headerRow?: number
  firstAddressOnly?: boolean
  validateMalformed?: boolean
  acceptSuggestions?: boolean
}

/** The same defaults as in the web app: every address is validated, and nothing is charged that no repair can correct. */
export function cellOptionsOf({ firstAddressOnly, validateMalformed }: ReadFlags) {
  return {
    severalAddresses: firstAddressOnly ? 'first' : 'all',
    malformed: validateMalformed ? 'validate' : 'skip',
  } as const
}

type File = { blob: Blob; filename: string }

/** Uploads a file, with the sheet and the header of the flags. Nothing is charged. */
export async function uploadFile(run: Run, client: Probity, file: File, flags: ReadFlags): Promise<UploadPreview> {
  const { blob, filename } = file
  const options = { ...cellOptionsOf(flags), signal: run.signal }
  const preview = await client.uploads.create(blob, { filename, ...options })
  return chooseHeader(run, client, await chooseSheet(run, client, preview, flags), flags)
}

async function chooseSheet({ signal }: Run, client: Probity, preview: UploadPreview, flags: ReadFlags) {
  const { sheet } = flags
  if (sheet === undefined || preview.sheet === sheet) return preview
  // Older services do not read workbooks.
  const { sheets = [] }: Partial<UploadPreview> = preview
  if (sheets.includes(sheet))
    return client.uploads.chooseSheet(preview.upload_id, sheet, { ...cellOptionsOf(flags), signal })
  const known = sheets.length === 0 ? 'It is not a workbook.' : `Its sheets: ${sheets.join(', ')}.`
  throw new CliError('input', `The file has no sheet ${sheet}. ${known} Nothing was charged.`)
}

async function chooseHeader({ signal }: Run, client: Probity, preview: UploadPreview, flags: ReadFlags) {
  const { headerRow } = flags
  const wanted = headerRow === 0 ? null : headerRow
  if (wanted === undefined || preview.header_row === wanted) return preview
  return client.uploads.chooseHeader(preview.upload_id, wanted, { ...cellOptionsOf(flags), signal })
}

/** The preview of an upload of an earlier run, with the counts of the column that was chosen then. */
export function readUpload(
  { signal }: Run,
  client: Probity,
  { uploadId, column }: { uploadId: string; column: string },
  flags: ReadFlags,
) {
  return client.uploads.get(uploadId, { ...cellOptionsOf(flags), emailColumn: column, signal })
}

type SettleFlags = ReadFlags & {
  /** Whether the user can be asked. */
  asks: boolean
}

/** Settles the column and the mistyped domains, and prints what becomes of every line. */
export async function settleUpload(
  run: Run,
  client: Probity,
  preview: UploadPreview,
  flags: SettleFlags,
): Promise<UploadPreview> {
  const column = await chooseColumn(run, preview, flags)
  const counted = await countColumn(run, client, preview, { ...flags, column })
  noteReading(run, counted)
  const settled = await settleSuggestions(run, client, counted, flags)
  run.terminal.note(`${describeLines(settled)}.`)
  return settled
}

async function chooseColumn(run: Run, preview: UploadPreview, { column, asks }: SettleFlags): Promise<string> {
  const { columns, email_column: found, suggestion_reason: reason } = preview
  if (column !== undefined && !columns.includes(column)) throw unknownColumn(column, columns)
  if (column !== undefined || reason !== 'several_columns' || !asks) return column ?? found
  const options = columnsWithAddresses(preview).map(({ name, address_count: count }) => ({
    value: name,
    label: `${name} (${countOf(count, 'address', 'addresses')})`,
  }))
  return choose(run, 'Several columns have addresses. Which one is validated?', { options, initial: found })
}

function columnsWithAddresses({ column_details: columns }: UploadPreview) {
  return columns.filter(({ address_count: count }) => count > 0).toSorted((a, b) => b.address_count - a.address_count)
}

function unknownColumn(column: string, columns: string[]): CliError {
  const known = `Its columns: ${columns.join(', ')}.`
  return new CliError('input', `The file has no column ${column}. ${known} Nothing was charged.`)
}

type ColumnFlags = ReadFlags & { column: string }

async function countColumn(run: Run, client: Probity, preview: UploadPreview, flags: ColumnFlags) {
  const { upload_id: uploadId, email_column: counted } = preview
  const { column } = flags
  return counted === column ? preview : readUpload(run, client, { uploadId, column }, flags)
}

function noteReading({ terminal }: Run, preview: UploadPreview): void {
  // Older services do not send `probing`.
  const { livemode, probing }: Partial<UploadPreview> = preview
  if (livemode && probing?.mode === 'dns') terminal.note(WITHOUT_PROBING)
  if (livemode && probing?.resolver_trusted === false) terminal.note(WITHOUT_RESOLVER)
  terminal.note(describeColumn(preview))
  const { header_row: headerRow, repaired_count: repaired, repaired_examples: examples } = preview
  if (headerRow !== 1) terminal.note(headerRow === null ? 'Header: none' : `Header: row ${headerRow}`)
  const [example] = examples
  if (example !== undefined) {
    const count = countOf(repaired, 'address', 'addresses')
    terminal.note(`${count} repaired, such as "${example.value}": ${example.email}`)
  }
}

function describeColumn(preview: UploadPreview): string {
  const { email_column: column, column_details: columns } = preview
  const count = columns.find(({ name }) => name === column)?.address_count ?? 0
  const others = columnsWithAddresses(preview)
    .filter(({ name }) => name !== column)
    .map(({ name, address_count: count }) => `${name} (${formatCount(count)})`)
  const also = others.length === 0 ? '' : `; also: ${others.join(', ')}`
  return `Column: ${column} (${countOf(count, 'address', 'addresses')})${also}`
}

/** Enough to see what kind of typing errors these are. */
const SUGGESTIONS_SHOWN = 5

/** Domains are corrected only by consent. */
async function settleSuggestions(run: Run, client: Probity, preview: UploadPreview, flags: SettleFlags) {
  const { suggestion_count: count, upload_id: id, email_column: column } = preview
  if (count === 0) return preview
  const options = { ...cellOptionsOf(flags), emailColumn: column, signal: run.signal }
  if (!flags.acceptSuggestions) {
    const { data, total = data.length } = await client.uploads.suggestions(id, { ...options, limit: SUGGESTIONS_SHOWN })
    const more = total > data.length ? [`  and ${formatCount(total - data.length)} more`] : []
    const lines = data.map(({ row, value, suggestion }) => `  row ${row}: ${value}, did you mean ${suggestion}?`)
    const hint = flags.asks ? '' : ' To correct them, pass --accept-suggestions.'
    run.terminal.note(`${countOf(count, 'domain looks', 'domains look')} mistyped.${hint}`)
    for (const line of [...lines, ...more]) run.terminal.note(line)
    if (!flags.asks || !(await ask(run, `Accept ${countOf(count, 'suggested domain')}?`))) return preview
  }
  const corrected = await client.uploads.correct(id, [], { ...options, acceptSuggestions: true })
  run.terminal.note(`${countOf(count, 'domain')} corrected.`)
  return countColumn(run, client, corrected, { ...flags, column })
}
