import type { PolicyRules } from '@probity/contract/constants/data/policies'
import type { KeyScope, KeyType } from '@probity/contract/constants/keys'
import type { OverrideAction } from '@probity/contract/constants/policies'
import type { Trait } from '@probity/contract/constants/validations'
import type { LastRequest } from '@probity/contract/schemas/keys'
import type { ColumnType, Generated } from 'kysely'
import type { SetByDatabase } from '../connection/columns.ts'

export type AccountTables = {
  accounts: AccountsTable
  apiKeys: ApiKeysTable
  idempotencyRecords: IdempotencyRecordsTable
  overrides: OverridesTable
  plans: PlansTable
  policies: PoliciesTable
  usageDays: UsageDaysTable
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

type OverridesTable = {
  id: SetByDatabase<string>
  accountId: string
  target: string
  action: OverrideAction
  note: Generated<string>
  createdBy: string | null
  createdAt: SetByDatabase<Date>
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

type UsageDaysTable = {
  accountId: string
  day: string
  keyId: string
  requests: number
  creditsUsed: number
  creditsCommitted: number
  creditsRefunded: number
}
