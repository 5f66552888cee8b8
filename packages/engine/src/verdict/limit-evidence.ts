import type { Evidence } from '@probity/contract/evidence'
import { SHORTENED, shorten } from '@probity/contract/shorten'

/**
 * Bytes that the evidence of one result has at most, as JSON. It is stored with every result and cached in Redis, and mail servers write
 * part of it. With the item that an override of the account adds it stays within 4 KiB.
 */
export const EVIDENCE_BYTES_MAX = 3_840

const DETAIL_LENGTH_MAX = 2_048

/** The evidence with its longest details shortened until it is within the limit. No item is removed: `log_odds` must add up. */
export function limitEvidence(evidence: Evidence[]): Evidence[] {
  let limited = evidence
  for (let length = DETAIL_LENGTH_MAX; sizeOf(limited) > EVIDENCE_BYTES_MAX && length > SHORTENED.length; length /= 2) {
    limited = evidence.map((item) => ({ ...item, detail: shorten(item.detail, length) }))
  }
  return limited
}

function sizeOf(evidence: Evidence[]): number {
  return new TextEncoder().encode(JSON.stringify(evidence)).length
}
