import type { LedgerKind } from '@probity/contract/ledger'

/** How credits moved, in a few words for people. */
export const KIND_LABELS: Record<LedgerKind, string> = {
  grant: 'Credits added',
  adjust: 'Correction',
  charge: 'Addresses validated',
  reserve: 'Set aside for a list',
  settle: 'Results of a list paid',
  release: 'Unused credits back',
  refund: 'Back for unknown results',
}

/** The list of kinds is open: one that is not known here is shown by its own name. */
export function kindLabel(kind: string): string {
  return (KIND_LABELS as Record<string, string>)[kind] ?? kind.replaceAll('_', ' ')
}
