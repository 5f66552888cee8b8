import type { Listed } from '@probity/contract/listed'
import type { Generated } from 'kysely'
import type { SetByDatabase } from './set-by-database.ts'

export type ListingsTable = {
  id: SetByDatabase<string>
  accountId: string
  entry: string
  action: Listed
  note: Generated<string>
  addedBy: string | null
  addedAt: SetByDatabase<Date>
}
