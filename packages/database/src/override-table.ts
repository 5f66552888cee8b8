import type { OverrideAction } from '@probity/contract/override'
import type { Generated } from 'kysely'
import type { SetByDatabase } from './set-by-database.ts'

export type OverridesTable = {
  id: SetByDatabase<string>
  accountId: string
  target: string
  action: OverrideAction
  note: Generated<string>
  createdBy: string | null
  createdAt: SetByDatabase<Date>
}
