import { SHORTENED, shorten } from '@probity/contract/constants/text'
import type { Evidence } from '@probity/contract/constants/validations'

/**
 * Bytes that the evidence of one result has at most, as JSON. It is stored with every result and cached in Redis, and mail servers write
 * part of it. With the item that an override of the account adds it stays within 4 KiB.
 */
export const EVIDENCE_BYTES_MAX = 3_840

const DETAIL_LENGTH_MAX = 2_048

/** The evidence with its longest details shortened until it is within the limit. No item is removed: `log_odds` must add up. */
export function limitEvidence(evidence: Evidence[]): Evidence[] {
  if (mostBytesOf(evidence) <= EVIDENCE_BYTES_MAX) return evidence
  let limited = evidence
  for (let length = DETAIL_LENGTH_MAX; sizeOf(limited) > EVIDENCE_BYTES_MAX && length > SHORTENED.length; length /= 2) {
    limited = evidence.map((item) => ({ ...item, detail: shorten(item.detail, length) }))
  }
  return limited
}

function sizeOf(evidence: Evidence[]): number {
  return new TextEncoder().encode(JSON.stringify(evidence)).length
}

/** Bytes of an item without the texts of check, outcome and detail: names of fields, source, a time and two numbers. */
const ITEM_BYTES_MAX = 190
/** A control character is written as six: \u0000. No other takes more. */
const UNIT_BYTES_MAX = 6
/** Characters that are one byte each in JSON. */
const PLAIN = /^[ !#-[\]-~]*$/

/** At least the bytes that the evidence has as JSON, without writing it: most results are far below the limit. */
function mostBytesOf(evidence: Evidence[]): number {
  let sum = 2
  for (const { check, outcome, detail } of evidence) {
    sum += ITEM_BYTES_MAX + check.length + outcome.length + detail.length * (PLAIN.test(detail) ? 1 : UNIT_BYTES_MAX)
  }
  return sum
}
