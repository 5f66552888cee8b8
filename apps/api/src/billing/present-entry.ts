import type { LedgerEntry } from '@probity/contract/schemas/billing'
import type { LedgerRow } from '@probity/database/billing/ledger'

/** A movement as customers see it. */
export function presentEntry(row: LedgerRow): LedgerEntry {
  return {
    // Not the row's own number, which counts the movements of all accounts.
    id: `${row.kind}_${row.subject}_${row.part}`,
    occurred_at: row.at.toISOString(),
    kind: row.kind,
    credits: row.credits,
    available_change: row.availableChange,
    available_after: row.availableAfter,
    subject: row.subjectKind,
    job_id: row.subjectKind === 'job' ? row.subject : null,
    filename: row.filename,
    validation_id: row.subjectKind === 'validation' ? row.subject : null,
    key_id: row.keyId,
    key_name: row.keyName,
    note: row.note,
  }
}
