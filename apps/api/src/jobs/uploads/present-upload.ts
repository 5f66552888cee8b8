import type { Upload, UploadPreview } from '@probity/contract/schemas/jobs/uploads'
import type { Probing } from '@probity/contract/schemas/system'
import type { Account } from '@probity/database/accounts/accounts'
import type { Draft, SameFileJob } from '@probity/database/jobs/uploads'
import type { UploadReading } from '@probity/uploads/read-upload'

type Kept = Pick<Draft, 'id' | 'mode' | 'filename' | 'sizeBytes' | 'expiresAt'>

/** The account's balance, whether its lists would be probed now, and its last job with the same file. */
type Asker = { account: Account; probing: Probing; earlier: SameFileJob | undefined }

/** Preview of a file, with the counts of the requested column. */
export function presentPreview(kept: Kept, reading: UploadReading, asker: Asker): UploadPreview {
  const { account, probing, earlier } = asker
  const { columns, counts, lineCount, rowCount, emailCount, uniqueCount, textCount } = reading
  const { extraCount, leftOutCount } = reading
  const livemode = kept.mode === 'live'
  return {
    id: kept.id,
    upload_id: kept.id,
    filename: kept.filename,
    columns,
    suggested_email_column: columns[reading.suggestion.index] ?? '',
    suggestion_reason: reading.suggestion.reason,
    size_bytes: kept.sizeBytes,
    encoding: reading.encoding,
    delimiter: reading.delimiter,
    has_header: reading.headerRow !== null,
    header_row: reading.headerRow,
    first_rows: reading.firstRows.map(({ row, cells }) => ({ row, values: cells })),
    sheets: reading.sheets,
    sheet: reading.sheet,
    ...(earlier && { same_file_job: presentEarlier(earlier) }),
    line_count: lineCount,
    blank_count: lineCount - rowCount,
    row_count: rowCount,
    column_details: counts.map((count, n) => ({
      name: columns[n] ?? '',
      filled_count: count.filled,
      address_count: count.addresses,
      address_share: count.filled === 0 ? 0 : Math.round((count.addresses / count.filled) * 10_000) / 10_000,
    })),
    sample_rows: reading.sampleRows,
    email_column: columns[reading.column] ?? '',
    email_count: emailCount,
    empty_count: rowCount + extraCount - textCount - leftOutCount - emailCount,
    several_addresses: reading.several,
    malformed: reading.malformed,
    extra_address_count: extraCount,
    left_out_count: leftOutCount,
    malformed_count: reading.malformedCount,
    repaired_count: reading.repairedCount,
    repaired_examples: reading.repairedExamples.map(({ row, text, email }) => ({ row, value: text, email })),
    suggestion_count: reading.suggestionCount,
    extracted_count: reading.wrappedCount,
    not_address_count: textCount,
    not_address_examples: reading.textExamples.map(({ row, text }) => ({ row, value: text })),
    unique_count: uniqueCount,
    duplicate_count: emailCount - uniqueCount,
    provider_mix: reading.providers,
    credits: { quote: livemode ? uniqueCount : 0, available: account.available, unlimited: account.unlimited },
    probing,
    expires_at: kept.expiresAt.toISOString(),
    livemode,
  }
}

function presentEarlier(job: SameFileJob): NonNullable<UploadPreview['same_file_job']> {
  const { id, filename, emailColumn, createdAt, doneCount, creditsPerEmail, refundedCount } = job
  return {
    id,
    filename,
    email_column: emailColumn,
    created_at: createdAt.toISOString(),
    credits_used: Math.max(0, doneCount * creditsPerEmail - refundedCount),
  }
}

/** An upload as a list entry, from its stored preview. */
export function presentDraft(draft: Draft): Upload {
  return {
    id: draft.id,
    upload_id: draft.id,
    filename: draft.filename,
    size_bytes: draft.sizeBytes,
    columns: draft.columns,
    suggested_email_column: draft.suggestedColumn,
    row_count: draft.rowCount,
    email_count: draft.emailCount,
    unique_count: draft.uniqueCount,
    duplicate_count: draft.emailCount - draft.uniqueCount,
    created_at: draft.createdAt.toISOString(),
    expires_at: draft.expiresAt.toISOString(),
    livemode: draft.mode === 'live',
  }
}
