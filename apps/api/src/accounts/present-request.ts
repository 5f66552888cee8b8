import type { RequestEntry, RequestResult } from '@probity/contract/schemas/requests'
import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import type { RequestRow } from '@probity/database/accounts/requests'
import { presentResult } from '../jobs/results/present-result.ts'

export function presentRequest(row: RequestRow): RequestEntry {
  return {
    id: `req_${row.id}`,
    occurred_at: row.at.toISOString(),
    livemode: row.mode === 'live',
    source: row.source,
    method: row.method,
    route: row.route,
    http_status: row.status,
    code: row.code,
    key_id: row.keyId,
    key_name: row.keyName,
    duration_ms: row.durationMs,
    result_status: row.verdict,
    sub_status: row.subStatus,
    credits: row.credits,
    validation_id: row.validationId,
  }
}

/** A result that stands in no file, and so in no row of one. */
export function presentStanding({ email, result }: { email: string; result: StoredResult }): RequestResult {
  const { status, sub_status: subStatus } = result
  const { row: _, ...presented } = presentResult({ rowNo: 1, email, status, subStatus, result }, { evidence: true })
  return presented
}
