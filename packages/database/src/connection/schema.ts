import type { PolicyRules } from '@probity/contract/constants/data/policies'
import type { KeyScope, KeyType } from '@probity/contract/constants/keys'
import type { OverrideAction } from '@probity/contract/constants/policies'
import type { Trait } from '@probity/contract/constants/validations'
import type { LastRequest } from '@probity/contract/schemas/keys'
import type { ColumnType, Generated } from 'kysely'
import type {
  BillingCustomersTable,
  PaymentsTable,
  PricesTable,
  StripeEventsTable,
  SubscriptionsTable,
} from '../billing/tables.ts'
import type {
  JobBatchesTable,
  JobBreakdownsTable,
  JobQueueTable,
  JobsTable,
  ResultChunksTable,
  UploadsTable,
} from '../jobs/tables.ts'
import type { OperatorTables } from '../operators/tables.ts'
import type {
  CallbackSecretsTable,
  WebhookAttemptsTable,
  WebhookDeliveriesTable,
  WebhookEndpointsTable,
  WebhookEventsTable,
} from '../webhooks/tables.ts'
import type { SetByDatabase } from './columns.ts'

/** The tables as the migrations make them. Columns are camelCase here and snake_case in SQL; Kysely translates. */
export type Schema = OperatorTables & {
  accounts: AccountsTable
  apiKeys: ApiKeysTable
  backups: { id: SetByDatabase<number>; madeAt: Date; bytes: number; sha256: string }
  billingCustomers: BillingCustomersTable
  idempotencyRecords: IdempotencyRecordsTable
  jobBatches: JobBatchesTable
  jobBreakdowns: JobBreakdownsTable
  jobCounts: { accountId: string; jobId: string; status: string; subStatus: string; count: number }
  jobQueue: JobQueueTable
  jobs: JobsTable
  ledger: LedgerTable
  overrides: OverridesTable
  ledgerMismatches: { accountId: string; available: number; reserved: number; spent: number }
  payments: PaymentsTable
  users: PeopleTable
  plans: PlansTable
  prices: PricesTable
  policies: PoliciesTable
  resultChunks: ResultChunksTable
  secrets: { name: string; value: Buffer }
  setupTokens: { onlyOne: Generated<boolean>; hash: Buffer; madeAt: Generated<Date> }
  stripeEvents: StripeEventsTable
  subscriptions: SubscriptionsTable
  uploads: UploadsTable
  usageDays: UsageDaysTable
  validations: ValidationsTable
  callbackSecrets: CallbackSecretsTable
  webhookAttempts: WebhookAttemptsTable
  webhookDeliveries: WebhookDeliveriesTable
  webhookEndpoints: WebhookEndpointsTable
  webhookEvents: WebhookEventsTable
  uncollectedResults: { accountId: string; emailKey: string; validationId: string; expiresOn: string }
}

type PlansTable = {
  name: string
  apiAccess: boolean
  aiEnhancement: boolean
  catchallDetection: boolean
  refundUnknown: boolean
  requestsPerWindow: number
  windowS: number
  interactiveInFlight: number
  emailsPerFile: number
  changedAt: SetByDatabase<Date>
  retentionDaysMax: Generated<number>
}

type PoliciesTable = {
  id: SetByDatabase<string>
  accountId: string
  name: string
  description: Generated<string>
  rules: ColumnType<PolicyRules['rules'], string, string>
  fallback: ColumnType<PolicyRules['default'], string, string>
  createdAt: SetByDatabase<Date>
}

type AccountsTable = {
  id: Generated<string>
  name: string
  plan: string
  unlimited: Generated<boolean>
  retentionDays: Generated<number>
  available: SetByDatabase<number>
  reserved: SetByDatabase<number>
  spent: SetByDatabase<number>
  createdAt: SetByDatabase<Date>
  onHoldSince: SetByDatabase<Date | null>
  suspendedAt: Generated<Date | null>
  lowCredits: Generated<number | null>
  lastGrant: SetByDatabase<number | null>
  creditsLow: SetByDatabase<boolean>
  planSince: SetByDatabase<Date>
  sendThreshold: Generated<number>
  excludedTraits: Generated<Trait[]>
  ipAllowList: Generated<string[]>
  closedAt: SetByDatabase<Date | null>
  disputeSuspendedAt: SetByDatabase<Date | null>
  debt: SetByDatabase<number>
  slug: SetByDatabase<string | null>
  logo: SetByDatabase<string | null>
  metadata: SetByDatabase<string | null>
}

/** As far as operators' commands look at it; the rest is the sign-in library's. */
type PeopleTable = {
  id: SetByDatabase<string>
  name: SetByDatabase<string>
  email: SetByDatabase<string>
  isOperator: Generated<boolean>
}

type ApiKeysTable = {
  id: Generated<string>
  accountId: string
  mode: 'live' | 'test'
  name: string
  hash: Buffer
  hint: string
  scopes: KeyScope[]
  ipAllowList: Generated<string[]>
  monthlyCap: number | null
  createdAt: SetByDatabase<Date>
  expiresAt: Date | null
  pausedAt: Date | null
  revokedAt: Date | null
  lastUsedAt: SetByDatabase<Date | null>
  lastRequest: SetByDatabase<LastRequest | null>
  kind: Generated<KeyType>
  allowedOrigins: Generated<string[]>
  allowedPolicies: Generated<string[]>
  visitorCap: Generated<number | null>
  publicText: Generated<string | null>
  replaces: Generated<string | null>
  replacedBy: Generated<string | null>
  lineages: Generated<string[]>
  changedAt: SetByDatabase<Date>
}

type UsageDaysTable = {
  accountId: string
  day: string
  keyId: string
  requests: number
  creditsUsed: number
  creditsCommitted: number
  creditsRefunded: number
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

type ValidationsTable = {
  expiresOn: string
  accountId: string
  id: string
  keyId: string | null
  email: string
  emailKey: string
  state: Generated<'open' | 'final'>
  conclusive: Generated<boolean | null>
  refunded: Generated<boolean | null>
  result: Generated<unknown>
  createdAt: SetByDatabase<Date>
  finishedAt: Generated<Date | null>
  deferredAt: Generated<Date | null>
  collectedAt: Generated<Date | null>
  awaitedUntil: Generated<Date | null>
  claimedUntil: Generated<Date | null>
  attempts: SetByDatabase<number>
  retryAt: Generated<Date | null>
  deferrals: Generated<number>
  egress: Generated<string | null>
  provisional: Generated<unknown>
  ai: Generated<boolean>
  mailbox: Generated<boolean>
  catchall: Generated<boolean>
  reference: Generated<string | null>
}

type IdempotencyRecordsTable = {
  expiresOn: string
  accountId: string
  route: string
  keyHash: Buffer
  fingerprint: Buffer
  subject: Generated<string>
  lockedUntil: Date
  expiresAt: Date
  status: number | null
  headers: ColumnType<Record<string, string> | null, string | null, string | null>
  body: string | null
}

export type OverridesTable = {
  id: SetByDatabase<string>
  accountId: string
  target: string
  action: OverrideAction
  note: Generated<string>
  createdBy: string | null
  createdAt: SetByDatabase<Date>
}
