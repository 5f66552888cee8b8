import type { AccountTables } from '../accounts/tables.ts'
import type { BillingTables } from '../billing/tables.ts'
import type { JobTables } from '../jobs/tables.ts'
import type { OperatorTables } from '../operators/tables.ts'
import type { SystemTables } from '../system/tables.ts'
import type { UserTables } from '../users/tables.ts'
import type { ValidationTables } from '../validations/tables.ts'
import type { WebhookTables } from '../webhooks/tables.ts'

/**
 * The tables that queries of the query builder use. Each subject declares the rows of its own tables. Columns are camelCase here and
 * snake_case in SQL; Kysely translates.
 */
export type Schema = AccountTables &
  BillingTables &
  JobTables &
  OperatorTables &
  SystemTables &
  UserTables &
  ValidationTables &
  WebhookTables
