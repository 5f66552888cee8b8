import type { KeptResult } from '@probity/database/jobs/results/results'

/** A page has at most this many rows, and fewer where results are large. */
const PAGE_ROWS_MAX = 500
const FIRST_PAGE_ROWS = 50
const PAGE_UNITS = 512 * 1024
/** A result without the texts of its evidence. */
const RESULT_UNITS = 1_000

/** The number of rows for the next page of an export, from the largest result of the last one: evidence may make results large. */
export function openPageSize() {
  let rows = FIRST_PAGE_ROWS
  return {
    rows: () => rows,
    note(page: KeptResult[]): void {
      const largest = Math.max(RESULT_UNITS, ...page.map(sizeOf))
      rows = Math.min(PAGE_ROWS_MAX, Math.max(1, Math.floor(PAGE_UNITS / largest)))
    },
  }
}

function sizeOf({ result }: KeptResult): number {
  return result.evidence.reduce((units, { detail }) => units + detail.length, RESULT_UNITS)
}
