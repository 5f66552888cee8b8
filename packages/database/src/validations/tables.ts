import type { Generated } from 'kysely'
import type { SetByDatabase } from '../connection/columns.ts'

export type ValidationTables = {
  validations: ValidationsTable
  uncollectedResults: { accountId: string; emailKey: string; validationId: string; expiresOn: string }
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
  domainLimited: Generated<boolean>
  catchall: Generated<boolean>
  reference: Generated<string | null>
}
