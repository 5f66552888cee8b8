import type { Override } from '@probity/contract/schemas/overrides'
import type { Override as KeptOverride } from '@probity/database/accounts/overrides'
import { stringify } from 'csv-stringify/sync'
import { defuseCell } from '../../http/exports/defuse-cell.ts'

export function presentOverride({ id, target, action, note, createdBy, createdAt }: KeptOverride): Override {
  return { id, target, action, note, created_by: createdBy, created_at: createdAt.toISOString() }
}

const COLUMNS = ['action', 'target', 'note', 'created_by', 'created_at'] as const satisfies (keyof Override)[]

/** The limit of overrides per account keeps the sheet small enough for one response. */
export function writeOverrides(overrides: KeptOverride[]): string {
  const rows = overrides.map((one) => {
    const override = presentOverride(one)
    return COLUMNS.map((column) => defuseCell(override[column] ?? ''))
  })
  return stringify([[...COLUMNS], ...rows], { quoted: true, quoted_empty: true, record_delimiter: 'windows' })
}
