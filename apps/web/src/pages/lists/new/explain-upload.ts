import type { RequestFailed } from '../../../api/ask.ts'

type Explanation = { title: string; advice: string }

/** What to do about a file that was refused. What exactly is wrong, and in which row, the service says in its own words. */
const EXPLANATIONS: Record<string, Explanation> = {
  not_csv: {
    title: 'This is not a text file',
    advice: 'Excel calls this form “CSV UTF-8”, Google Sheets “Comma-separated values”.',
  },
  empty_file: { title: 'The file is empty', advice: 'Choose a file with at least one row of addresses.' },
  no_email_column: {
    title: 'No column holds addresses',
    advice: 'Each row needs one address in a column of its own. Add such a column, or paste the addresses below.',
  },
  malformed_csv: {
    title: 'A row of the file cannot be read',
    advice: 'Open the file in a spreadsheet program, look at that row, and save it as CSV again.',
  },
  record_too_long: {
    title: 'A row of the file is too long',
    advice: 'A row may have 64 KiB. Leave out columns with long texts, or look for a quote that is not closed.',
  },
  too_many_columns: {
    title: 'The file has too many columns',
    advice: 'A file may have 256 columns. Leave out those that are not needed.',
  },
  too_many_rows: {
    title: 'The file has too many rows',
    advice: 'Split it into several files. They are worked on side by side.',
  },
  too_many_emails: {
    title: 'The file has more addresses than your plan takes at once',
    advice: 'Split it into several files. They are worked on side by side.',
  },
  file_too_large: {
    title: 'The file is too large',
    advice: 'A file may have 50 MiB. Leave out columns that are not needed, or split it into several files.',
  },
  too_many_uploads: {
    title: 'Upload limit reached',
    advice: 'Start or discard drafts on the Lists page, then upload the file again.',
  },
  several_files: { title: 'One file at a time', advice: 'Each file becomes a list of its own.' },
  unreachable: {
    title: 'The upload broke off',
    advice: 'Check your connection and that the file is still where it was, then try again.',
  },
  rate_limited: { title: 'Too many requests', advice: 'Wait a minute, then try again.' },
}

/** A proxy before the service has limits of its own, and says so in a form that is not ours. */
const REFUSED_ON_THE_WAY: Explanation = {
  title: 'The upload was refused on its way',
  advice:
    'A proxy before the service takes no files of this size. Whoever runs it can raise the limit to 50 MiB, in nginx with client_max_body_size.',
}

export function explainUpload({ code, status }: RequestFailed): Explanation {
  if (status === 413 && code === 'unexpected') return REFUSED_ON_THE_WAY
  return EXPLANATIONS[code] ?? { title: 'The file could not be uploaded', advice: 'Try again in a moment.' }
}
