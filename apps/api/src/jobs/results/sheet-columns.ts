import type { Result } from '@probity/contract/schemas/jobs/results'
import type { Shown } from './present-result.ts'

/** What we put behind the customer's columns, in this order. */
const COLUMNS: [name: string, cellOf: (result: Result) => string][] = [
  ['probity_status', ({ status }) => status],
  ['probity_sub_status', ({ sub_status }) => sub_status],
  ['probity_confidence', ({ confidence }) => String(confidence)],
  ['probity_safe_to_send', ({ safe_to_send }) => String(safe_to_send)],
  ['probity_is_valid', ({ is_valid }) => String(is_valid)],
  ['probity_did_you_mean', ({ did_you_mean }) => did_you_mean ?? ''],
  ['probity_domain', ({ domain }) => domain],
  ['probity_provider', ({ provider }) => provider],
  ['probity_is_disposable', ({ is_disposable }) => String(is_disposable)],
  ['probity_is_role_based', ({ is_role_based }) => String(is_role_based)],
  ['probity_has_spf', ({ has_spf }) => String(has_spf)],
  ['probity_has_dmarc', ({ has_dmarc }) => String(has_dmarc)],
  ['probity_is_free', ({ flags }) => String(flags.is_free)],
  ['probity_is_privacy_relay', ({ flags }) => String(flags.is_privacy_relay)],
  ['probity_is_tagged', ({ flags }) => String(flags.is_tagged)],
  ['probity_deliverability', ({ deliverability }) => String(deliverability)],
  ['probity_is_machine_generated', ({ flags }) => String(flags.is_machine_generated)],
  ['probity_override', ({ override }) => override ?? ''],
  ['probity_depth', ({ depth }) => depth],
  // The cell may hold a display name too, and a repeated address may be spelled otherwise in its first row.
  ['probity_email', ({ email }) => email],
]
const POLICY_COLUMNS: typeof COLUMNS = [
  ['probity_decision', ({ policy }) => policy?.decision ?? ''],
  ['probity_reason', ({ policy }) => policy?.reason ?? ''],
]
const EVIDENCE_COLUMN: (typeof COLUMNS)[number] = ['probity_result', (result) => JSON.stringify(result)]

export type SheetColumns = {
  /** A customer's row with our names behind it. */
  names(theirs: string[]): string[]
  /** Our cells for one row; empty ones where there is no result. */
  cells(result: Result | undefined): string[]
}

export function sheetColumns({ evidence, policy }: Shown): SheetColumns {
  const columns = [...COLUMNS, ...(policy ? POLICY_COLUMNS : []), ...(evidence ? [EVIDENCE_COLUMN] : [])]
  return {
    names(theirs) {
      const taken = new Set(theirs.map((name) => name.trim().toLowerCase()))
      return columns.map(([name]) => nameBeside(name, taken))
    },
    cells: (result) => columns.map(([, cellOf]) => (result ? cellOf(result) : '')),
  }
}

/** The file may be one of our own exports, come back for another round. */
function nameBeside(name: string, taken: Set<string>): string {
  if (!taken.has(name)) return name
  let n = 2
  while (taken.has(`${name}_${n}`)) n++
  return `${name}_${n}`
}
