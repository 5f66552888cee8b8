import type { Generated } from 'kysely'
import type { SetByDatabase } from '../connection/columns.ts'

export type PricesTable = {
  id: string
  plan: string | null
  credits: number
  withdrawn: Generated<boolean>
}

export type BillingCustomersTable = {
  accountId: string
  customer: string
  planBefore: SetByDatabase<string | null>
}

export type PaymentsTable = {
  id: SetByDatabase<string>
  accountId: string
  reference: string
  credits: number
  createdAt: SetByDatabase<Date>
  grantedAt: Generated<Date | null>
  creditsReversed: SetByDatabase<number>
  isDisputed: SetByDatabase<boolean>
  reversals: SetByDatabase<number>
  checkedAt: SetByDatabase<Date | null>
}

export type SubscriptionsTable = {
  id: SetByDatabase<string>
  accountId: SetByDatabase<string>
  price: SetByDatabase<string>
  isPaid: SetByDatabase<boolean>
  beganAt: SetByDatabase<Date>
  checkedAt: SetByDatabase<Date>
}

export type StripeEventsTable = {
  id: string
  type: string
  outcome: string
  at: SetByDatabase<Date>
}
