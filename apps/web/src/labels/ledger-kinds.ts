import { LEDGER_KIND_LABELS, ledgerKindLabel } from '@probity/contract/constants/labels'

export const KIND_LABELS = LEDGER_KIND_LABELS
export const kindLabel = ledgerKindLabel
