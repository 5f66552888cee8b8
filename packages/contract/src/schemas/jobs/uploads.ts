import type { Static } from 'typebox'
import Type from 'typebox'
import { SUGGESTION_REASONS } from '../../constants/jobs.ts'
import { count, LivemodeField, nullableString, pageQuery, valueList } from '../fields.ts'
import { PROBING_EXAMPLE, ProbingField } from '../system.ts'
import { CELL_OPTION_FIELDS, CELL_OPTIONS, LINE_COUNTS } from './list-counts.ts'

/** For the OpenAPI document: a form is read as a stream and not validated against a schema. */
export const UploadForm = Type.Object(
  {
    file: Type.String({
      format: 'binary',
      description: 'A CSV, TSV or text file, or an Excel workbook (XLSX), up to 50 MiB.',
      examples: ['name,email\nAda,ada@example.com\n'],
    }),
  },
  {
    title: 'Upload form',
    description: 'A form with the file.',
    additionalProperties: false,
    examples: [{ file: 'name,email\nAda,ada@example.com\n' }],
  },
)

const ColumnDetails = Type.Object(
  {
    name: Type.String({ description: 'The column, as in `columns`.', examples: ['email'] }),
    filled_count: count('Rows in which the column is not empty.', 10480),
    address_count: count('Rows in which the column contains an address, with or without a display name.', 10452),
    address_share: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Fraction of the values that contain an address; 0 if there are none.',
      examples: [0.9973],
    }),
  },
  { description: 'Counts of one column.' },
)

const TextExample = Type.Object(
  {
    row: Type.Integer({ minimum: 1, description: 'Number of the row, as in a spreadsheet.', examples: [17] }),
    value: Type.String({ description: 'The text, truncated to 200 characters.', examples: ['n/a'] }),
  },
  { description: 'One row without an address.' },
)

const ProviderShare = Type.Object(
  {
    provider: Type.String({
      description: 'Mailbox provider, as in a result; empty if it is not known from the domain alone.',
      examples: ['google', ''],
    }),
    count: count('Unique addresses.', 4127),
  },
  { description: 'Counts of one provider.' },
)

const RepairedExample = Type.Object(
  {
    row: Type.Integer({ minimum: 1, description: 'Number of the row, as in a spreadsheet.', examples: [19] }),
    value: Type.String({
      description: 'The cell, truncated to 200 characters.',
      examples: ['ada (at) example.com', 'ada @ example.com'],
    }),
    email: Type.String({ description: 'The address that is validated.', examples: ['ada@example.com'] }),
  },
  { description: 'One repaired address.' },
)

const FirstRow = Type.Object(
  {
    row: Type.Integer({ minimum: 1, description: 'Number of the row, as in a spreadsheet.', examples: [1] }),
    values: Type.Array(Type.String(), {
      description: 'Its cells, truncated to 200 characters each.',
      examples: [['Contacts export 2026']],
    }),
  },
  { description: 'One of the first rows.' },
)

const UploadCredits = Type.Object(
  {
    quote: count('Cost of validating `email_column`: 1 credit per unique address; 0 in test mode.', 10000),
    available: count('Available credits of the account.', 25000),
    unlimited: Type.Boolean({
      description: 'Whether the account uses credits without a balance; `available` is then ignored.',
      examples: [false],
    }),
  },
  { description: 'Cost of the list and available credits. A preview charges and reserves nothing.' },
)

const SameFileJob = Type.Object(
  {
    id: Type.String({
      format: 'uuid',
      description: 'Id of the job.',
      examples: ['0198f2d1-93a8-7b05-8f17-04e5d6c2b9a1'],
    }),
    filename: Type.String({ description: 'Name of its file.', examples: ['newsletter.csv'] }),
    email_column: Type.String({ description: 'Column that was validated.', examples: ['email'] }),
    created_at: Type.String({
      format: 'date-time',
      description: 'When the job was confirmed (RFC 3339, UTC).',
      examples: ['2026-11-02T11:45:00.000Z'],
    }),
    credits_used: count('Credits that the job has used so far, without refunded ones.', 9817),
  },
  {
    description:
      'Last job with the same rows, if its file is still stored: for 7 days after the confirmation. Its results can be used instead of a new validation.',
  },
)

const UPLOAD_ID = '0198f2d0-1c44-7e6f-a5b3-7d20c8914e6a'

const EXAMPLE = {
  id: UPLOAD_ID,
  upload_id: UPLOAD_ID,
  filename: 'newsletter.csv',
  columns: ['name', 'email', 'city'],
  suggested_email_column: 'email',
  suggestion_reason: 'most_addresses_and_name',
  size_bytes: 618204,
  encoding: 'utf-8',
  delimiter: ',',
  has_header: true,
  header_row: 1,
  first_rows: [
    { row: 1, values: ['name', 'email', 'city'] },
    { row: 2, values: ['Ada', 'ada@example.com', 'London'] },
  ],
  sheets: [],
  sheet: null,
  line_count: 10520,
  blank_count: 20,
  row_count: 10500,
  column_details: [
    { name: 'name', filled_count: 10311, address_count: 0, address_share: 0 },
    { name: 'email', filled_count: 10480, address_count: 10452, address_share: 0.9973 },
    { name: 'city', filled_count: 7204, address_count: 0, address_share: 0 },
  ],
  sample_rows: [['Ada', 'ada@example.com', 'London']],
  email_column: 'email',
  email_count: 10452,
  empty_count: 20,
  extracted_count: 62,
  not_address_count: 28,
  not_address_examples: [{ row: 17, value: 'n/a' }],
  several_addresses: 'first',
  malformed: 'validate',
  extra_address_count: 0,
  left_out_count: 0,
  malformed_count: 0,
  repaired_count: 1,
  repaired_examples: [{ row: 19, value: 'grace (at) example.com', email: 'grace@example.com' }],
  suggestion_count: 3,
  unique_count: 9972,
  duplicate_count: 480,
  provider_mix: [
    { provider: '', count: 5845 },
    { provider: 'google', count: 4127 },
  ],
  credits: { quote: 9972, available: 25000, unlimited: false },
  probing: PROBING_EXAMPLE,
  expires_at: '2026-11-03T12:00:00.000Z',
  livemode: true,
}

export type UploadPreview = Static<typeof UploadPreview>
export const UploadPreview = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Id of the upload.', examples: [EXAMPLE.id] }),
    upload_id: Type.String({
      format: 'uuid',
      description: 'Equal to `id`; use it as `upload_id` when you confirm the upload.',
      examples: [EXAMPLE.upload_id],
    }),
    filename: Type.String({ description: 'Name of the uploaded file.', examples: ['newsletter.csv'] }),
    columns: Type.Array(Type.String(), {
      description:
        'Column names of the file, from left to right. A column without a header is `column_1` and so on; duplicate names get the suffix `_2`.',
      examples: [['name', 'email', 'city']],
    }),
    suggested_email_column: Type.String({
      description:
        'Column with the most values that look like addresses; if there is none, a column whose header is email.',
      examples: ['email'],
    }),
    suggestion_reason: Type.String({
      description: `Reason for the suggestion. Values may be added.${valueList(SUGGESTION_REASONS)}`,
      examples: Object.keys(SUGGESTION_REASONS),
    }),
    size_bytes: count('Size of the file in bytes.', EXAMPLE.size_bytes),
    encoding: Type.String({
      description: 'Character encoding of the file: `utf-8`, `utf-16le`, `utf-16be` or `windows-1252`.',
      examples: ['utf-8'],
    }),
    delimiter: Type.String({
      description: 'Delimiter of the cells: a comma, a semicolon, a tab or a vertical bar.',
      examples: [','],
    }),
    has_header: Type.Boolean({ description: 'Whether a row contains the column names.', examples: [true] }),
    header_row: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      minimum: 1,
      description:
        'Number of the row with the column names; null if there is none. Rows above it, such as a title, are not part of the list.',
      examples: [1, 3, null],
    }),
    first_rows: Type.Array(FirstRow, {
      description: 'The first ten rows of the file that are not blank, among them the header and what is above it.',
    }),
    sheets: Type.Array(Type.String(), {
      description: 'Names of the sheets of a workbook, from left to right; empty for any other file.',
      examples: [['Contacts', 'Archive']],
    }),
    sheet: nullableString({
      description: 'The sheet that was read; null if the file is not a workbook. Its rows are stored as CSV in UTF-8.',
      examples: ['Contacts', null],
    }),
    same_file_job: Type.Optional(SameFileJob),
    row_count: count('Rows of the file, without the header, rows above it and blank lines.', EXAMPLE.row_count),
    ...LINE_COUNTS,
    column_details: Type.Array(ColumnDetails, { description: 'Counts per column, in the order of `columns`.' }),
    sample_rows: Type.Array(Type.Array(Type.String()), {
      description: 'The first five rows, with a value for every column. Values are truncated to 200 characters.',
      examples: [EXAMPLE.sample_rows],
    }),
    email_column: Type.String({
      description: 'Column that the following counts refer to: the suggested one, unless the request names another.',
      examples: ['email'],
    }),
    email_count: count(
      'Addresses that are validated, repetitions included: one for each row that contains one, or several if `several_addresses` is `all`.',
      EXAMPLE.email_count,
    ),
    ...CELL_OPTION_FIELDS,
    malformed_count: count('Values with a syntax error that no repair can correct.', EXAMPLE.malformed_count),
    repaired_count: count(
      'Addresses that were repaired before they are validated: invisible and full-width characters, white space around the @, `(at)`, a comma in place of a dot. The file keeps the cell.',
      EXAMPLE.repaired_count,
    ),
    repaired_examples: Type.Array(RepairedExample, { description: 'The first ten of them.' }),
    suggestion_count: count(
      'Addresses whose domain looks mistyped. Nothing is changed unless the suggestions are accepted.',
      EXAMPLE.suggestion_count,
    ),
    extracted_count: count(
      'Rows in which the cell contains more than the address: a display name, angle brackets, `mailto:` or punctuation. The address is validated, and the export keeps the cell.',
      EXAMPLE.extracted_count,
    ),
    not_address_examples: Type.Array(TextExample, { description: 'The first ten of these rows.' }),
    unique_count: count('Unique addresses in the column.', EXAMPLE.unique_count),
    duplicate_count: count('Addresses that repeat an earlier one; they are not charged.', EXAMPLE.duplicate_count),
    provider_mix: Type.Array(ProviderShare, {
      description:
        'Mailbox providers of the unique addresses, as far as they are known from the domain; largest first.',
    }),
    credits: UploadCredits,
    probing: ProbingField,
    expires_at: Type.String({
      format: 'date-time',
      description: 'When the upload expires (RFC 3339, UTC). If it is not confirmed by then, the file is deleted.',
      examples: [EXAMPLE.expires_at],
    }),
    livemode: LivemodeField,
  },
  {
    title: 'Upload preview',
    description: 'Analysis of an uploaded file. Nothing is validated or charged yet. Fields may be added.',
    examples: [EXAMPLE],
  },
)

export type UploadParams = Static<typeof UploadParams>
export const UploadParams = Type.Object(
  { upload_id: Type.String({ format: 'uuid', description: 'The `id` of the upload.', examples: [UPLOAD_ID] }) },
  { title: 'Upload path', description: 'The upload.', examples: [{ upload_id: UPLOAD_ID }] },
)

export type UploadQuery = Static<typeof UploadQuery>
export const UploadQuery = Type.Object(
  {
    email_column: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: 'Column to count: one of `columns`. Default: the suggested column.',
        examples: ['work_email'],
      }),
    ),
    ...CELL_OPTIONS,
  },
  {
    title: 'Upload query',
    description: 'Column to count, and how its cells are read.',
    examples: [{ email_column: 'work_email' }],
  },
)

export type PreviewQuery = Static<typeof PreviewQuery>
export const PreviewQuery = Type.Object(CELL_OPTIONS, {
  title: 'Preview query',
  description: 'How cells are read.',
  examples: [{ several_addresses: 'all', malformed: 'skip' }],
})

const UPLOAD_EXAMPLE = {
  id: UPLOAD_ID,
  upload_id: UPLOAD_ID,
  filename: 'newsletter.csv',
  size_bytes: 618204,
  columns: ['name', 'email', 'city'],
  suggested_email_column: 'email',
  row_count: 10500,
  email_count: 10452,
  unique_count: 9972,
  duplicate_count: 480,
  created_at: '2026-11-02T12:00:00.000Z',
  expires_at: '2026-11-03T12:00:00.000Z',
  livemode: true,
}

const { id, upload_id, filename, size_bytes, columns, suggested_email_column, row_count, expires_at, livemode } =
  UploadPreview.properties

export type Upload = Static<typeof Upload>
export const Upload = Type.Object(
  {
    id,
    upload_id,
    filename,
    size_bytes,
    columns,
    suggested_email_column,
    row_count,
    email_count: count('Addresses in the suggested column, repetitions included.', UPLOAD_EXAMPLE.email_count),
    unique_count: count('Unique addresses in the column.', UPLOAD_EXAMPLE.unique_count),
    duplicate_count: count('Addresses that repeat an earlier one.', UPLOAD_EXAMPLE.duplicate_count),
    created_at: Type.String({
      format: 'date-time',
      description: 'When the file was uploaded (RFC 3339, UTC).',
      examples: [UPLOAD_EXAMPLE.created_at],
    }),
    expires_at,
    livemode,
  },
  {
    title: 'Upload',
    description: 'An upload that is not confirmed yet. Fields may be added.',
    examples: [UPLOAD_EXAMPLE],
  },
)

export type UploadPage = Static<typeof UploadPage>
export const UploadPage = pageQuery('Page of uploads', 'uploads')

export type UploadList = Static<typeof UploadList>
export const UploadList = Type.Array(Upload, {
  title: 'Upload list',
  description: 'One page of the uploads that are not confirmed yet, newest first.',
  examples: [[UPLOAD_EXAMPLE]],
})
