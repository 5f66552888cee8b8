import type { Generated } from 'kysely'
import type { SetByDatabase } from '../connection/columns.ts'

export type BillingTables = {
  billingCustomers: BillingCustomersTable
  ledger: LedgerTable
  ledgerMismatches: { accountId: string; available: number; reserved: number; spent: number }
  payments: PaymentsTable
  prices: PricesTable
  stripeEvents: StripeEventsTable
  subscriptions: SubscriptionsTable
}

type LedgerTable = {
  id: SetByDatabase<number>
  accountId: string
  kind: string
  subject: string
  part: number
  dAvailable: number
  dReserved: number
  dSpent: number
  keyId: string | null
  note: string | null
  at: SetByDatabase<Date>
}

type PricesTable = {
  id: string
  plan: string | null
  credits: number
  withdrawn: Generated<boolean>
}

type BillingCustomersTable = {
  accountId: string
  customer: string
  planBefore: SetByDatabase<string | null>
}

type PaymentsTable = {
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

type SubscriptionsTable = {
  id: SetByDatabase<string>
  accountId: SetByDatabase<string>
  price: SetByDatabase<string>
  isPaid: SetByDatabase<boolean>
  beganAt: SetByDatabase<Date>
  checkedAt: SetByDatabase<Date>
}

type StripeEventsTable = {
  id: string
  type: string
  outcome: string
  at: SetByDatabase<Date>
}
