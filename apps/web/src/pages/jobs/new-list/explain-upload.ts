import type { RequestFailed } from '../../../session/ask.ts'

type Explanation = { title: string; advice: string }

/** Advice for rejected files. The problem of the service has the title, the cause and the row. */
const ADVICE: Record<string, string> = {
  not_csv: 'Export as “CSV UTF-8” in Excel or “Comma-separated values” in Google Sheets.',
  empty_file: 'Choose a file with at least one row of addresses.',
  no_email_column: 'Add a column with one address per row, or paste the addresses below.',
  malformed_csv: 'Open the file in a spreadsheet program, correct the row, and save it as CSV again.',
  record_too_long: 'The limit is 64 KiB per row. Remove columns with long texts, or look for an unclosed quote.',
  too_many_columns: 'The limit is 256 columns. Remove those that you do not need.',
  too_many_rows: 'Split it into several files. They are processed in parallel.',
  too_many_emails: 'Split it into several files. They are processed in parallel.',
  file_too_large: 'The limit is 50 MiB. Remove columns that you do not need, or split it into several files.',
  too_many_uploads: 'Start or discard drafts on the Lists page, then upload the file again.',
  several_files: 'Each file becomes a separate list.',
  unreachable: 'Check your connection and that the file still exists, then try again.',
  rate_limited: 'Wait a minute, then try again.',
}

/** Titles of failures that the page finds itself, without a problem of the service. */
const TITLES: Record<string, string> = {
  file_too_large: 'File too large',
  several_files: 'One file at a time',
  unreachable: 'Upload interrupted',
}

/** A reverse proxy has its own size limit, and responds without a problem document. */
const REJECTED_BY_PROXY: Explanation = {
  title: 'Upload rejected by a proxy',
  advice:
    'A proxy in front of the service rejects files of this size. Its administrator can raise the limit to 50 MiB (nginx: client_max_body_size).',
}

export function explainUpload({ code, status, title }: RequestFailed): Explanation {
  if (status === 413 && code === 'unexpected') return REJECTED_BY_PROXY
  return { title: title ?? TITLES[code] ?? 'Upload failed', advice: ADVICE[code] ?? 'Try again in a moment.' }
}
