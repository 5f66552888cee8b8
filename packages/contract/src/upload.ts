import type { Static } from 'typebox'
import Type from 'typebox'
import { count } from './count.ts'
import { LivemodeField } from './livemode.ts'
import { pageQuery } from './page.ts'
import { PROBING_EXAMPLE, ProbingField } from './probing.ts'
import { valueList } from './value-list.ts'

/** For readers of the API document: a form is read as a stream and never held against a schema. */
export const UploadForm = Type.Object(
  {
    file: Type.String({
      format: 'binary',
      description: 'The CSV, up to 50 MiB.',
      examples: ['name,email\nAda,ada@example.com\n'],
    }),
  },
  {
    title: 'Upload form',
    description: 'A form with the file in it.',
    additionalProperties: false,
    examples: [{ file: 'name,email\nAda,ada@example.com\n' }],
  },
)

/** Why a column was suggested. */
export const SUGGESTION_REASONS = {
  most_addresses: 'no other column has more values that look like addresses.',
  most_addresses_and_name: 'the same, and its header says mail.',
  several_columns: 'it has the most addresses, but other columns contain addresses too: ask the user to choose.',
  name_only: 'its header says email, but fewer than a fifth of its values look like addresses, or none.',
} as const satisfies Record<string, string>

const ColumnDetails = Type.Object(
  {
    name: Type.String({ description: 'The column, as in `columns`.', examples: ['email'] }),
    filled_count: count('Rows in which it is not empty.', 10480),
    address_count: count('Rows in which it holds an address, with a display name or without.', 10452),
    address_share: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'The share of its values that hold an address; 0 where it has none.',
      examples: [0.9973],
    }),
  },
  { description: 'What is in one column.' },
)

const TextExample = Type.Object(
  {
    row: Type.Integer({ minimum: 1, description: 'The row, as a spreadsheet numbers it.', examples: [17] }),
    value: Type.String({ description: 'The text, cut off at 200 characters.', examples: ['n/a'] }),
  },
  { description: 'One row without an address.' },
)

const ProviderShare = Type.Object(
  {
    provider: Type.String({
      description: 'Who runs the mailboxes, as in a result; empty for all that cannot be told from the domain alone.',
      examples: ['google', ''],
    }),
    count: count('Unique addresses there.', 4127),
  },
  { description: 'One provider.' },
)

const UploadCredits = Type.Object(
  {
    quote: count('What validating `email_column` costs: 1 for every unique address; nothing in test mode.', 10000),
    available: count('What the account has now.', 25000),
    unlimited: Type.Boolean({
      description: 'The account never runs short, whatever `available` says.',
      examples: [false],
    }),
  },
  { description: 'What the list would cost, and what there is. Nothing is charged or set aside by a preview.' },
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
    id: Type.String({ format: 'uuid', description: 'Identifies the upload.', examples: [EXAMPLE.id] }),
    upload_id: Type.String({
      format: 'uuid',
      description: 'The same as `id`; the confirm step takes it as `upload_id`.',
      examples: [EXAMPLE.upload_id],
    }),
    filename: Type.String({ description: 'What the file was called when it was sent.', examples: ['newsletter.csv'] }),
    columns: Type.Array(Type.String(), {
      description:
        'The headers of the file from left to right. A column without one is `column_1` and so on; a repeated one gets the suffix `_2`.',
      examples: [['name', 'email', 'city']],
    }),
    suggested_email_column: Type.String({
      description:
        'The column whose values look most like addresses or, if there is none, one whose header says email.',
      examples: ['email'],
    }),
    suggestion_reason: Type.String({
      description: `Why that column. The list is open.${valueList(SUGGESTION_REASONS)}`,
      examples: Object.keys(SUGGESTION_REASONS),
    }),
    size_bytes: count('How large the file is.', EXAMPLE.size_bytes),
    encoding: Type.String({
      description: 'How its text is written: `utf-8`, `utf-16le`, `utf-16be` or `windows-1252`.',
      examples: ['utf-8'],
    }),
    delimiter: Type.String({
      description: 'What separates its cells: a comma, a semicolon, a tab or a vertical bar.',
      examples: [','],
    }),
    has_header: Type.Boolean({ description: 'Its first row names the columns.', examples: [true] }),
    row_count: count('Rows of data, without the header and without rows that are empty.', EXAMPLE.row_count),
    column_details: Type.Array(ColumnDetails, { description: 'The columns one by one, in the order of `columns`.' }),
    sample_rows: Type.Array(Type.Array(Type.String()), {
      description: 'The first five rows of data, each with a value for every column, cut off at 200 characters.',
      examples: [EXAMPLE.sample_rows],
    }),
    email_column: Type.String({
      description: 'The column that the counts below are of: the suggested one, unless another was asked for.',
      examples: ['email'],
    }),
    email_count: count('Rows in which that column holds an address.', EXAMPLE.email_count),
    empty_count: count('Rows in which it is empty; they cost nothing.', EXAMPLE.empty_count),
    extracted_count: count(
      'Rows in which the cell holds more than the address: a display name, angle brackets, `mailto:` or punctuation. The address is validated, and the export keeps the cell. Where a cell holds several addresses, the first is validated.',
      EXAMPLE.extracted_count,
    ),
    not_address_count: count(
      'Rows in which it holds text without an address. They are not validated and cost nothing.',
      EXAMPLE.not_address_count,
    ),
    not_address_examples: Type.Array(TextExample, { description: 'The first ten of these rows.' }),
    unique_count: count('Unique addresses among them.', EXAMPLE.unique_count),
    duplicate_count: count('Rows that repeat an earlier address; they cost nothing.', EXAMPLE.duplicate_count),
    provider_mix: Type.Array(ProviderShare, {
      description: 'Where the unique addresses have their mailboxes, as far as well-known domains tell; most first.',
    }),
    credits: UploadCredits,
    probing: ProbingField,
    expires_at: Type.String({
      format: 'date-time',
      description: 'Until when the upload can be confirmed; then the file is removed (RFC 3339, UTC).',
      examples: [EXAMPLE.expires_at],
    }),
    livemode: LivemodeField,
  },
  {
    title: 'Upload preview',
    description: 'What was found in an uploaded file, before anything is validated or charged. Fields may be added.',
    examples: [EXAMPLE],
  },
)

export type UploadParams = Static<typeof UploadParams>
export const UploadParams = Type.Object(
  { upload_id: Type.String({ format: 'uuid', description: 'The `id` of the upload.', examples: [UPLOAD_ID] }) },
  { title: 'Upload path', description: 'Which upload is meant.', examples: [{ upload_id: UPLOAD_ID }] },
)

export type UploadQuery = Static<typeof UploadQuery>
export const UploadQuery = Type.Object(
  {
    email_column: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: 'Which column to count: one of `columns`. The suggested one if left out.',
        examples: ['work_email'],
      }),
    ),
  },
  {
    title: 'Upload query',
    description: 'What is counted in the upload.',
    examples: [{ email_column: 'work_email' }],
  },
)

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
    email_count: count('Rows in which the suggested column holds an address.', UPLOAD_EXAMPLE.email_count),
    unique_count: count('Unique addresses among them.', UPLOAD_EXAMPLE.unique_count),
    duplicate_count: count('Rows that repeat an earlier address.', UPLOAD_EXAMPLE.duplicate_count),
    created_at: Type.String({
      format: 'date-time',
      description: 'When the file was sent (RFC 3339, UTC).',
      examples: [UPLOAD_EXAMPLE.created_at],
    }),
    expires_at,
    livemode,
  },
  {
    title: 'Upload',
    description: 'A file that was sent and not confirmed yet, in short. Fields may be added.',
    examples: [UPLOAD_EXAMPLE],
  },
)

export type UploadPage = Static<typeof UploadPage>
export const UploadPage = pageQuery('Page of uploads', 'uploads')

export type UploadList = Static<typeof UploadList>
export const UploadList = Type.Array(Upload, {
  title: 'Upload list',
  description: 'One page of the uploads that were not confirmed yet, newest first.',
  examples: [[UPLOAD_EXAMPLE]],
})
