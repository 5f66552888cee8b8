import type { DoctorFix, DoctorStatus } from '@probity/contract/constants/operators'
import type { Generated } from 'kysely'
import type { SetByDatabase } from '../connection/columns.ts'

/** What those who run the installation look at and hold back. */
export type OperatorTables = {
  auditEntries: AuditEntriesTable
  doctorFindings: DoctorFindingsTable
  egressControls: EgressBrakesTable
  jobReviews: JobReviewsTable
  optedOutDomains: OptedOutDomainsTable
  processes: ProcessesTable
  providerControls: ProviderBrakesTable
  providerHours: ProviderHoursTable
  unrecognizedReplies: UnrecognisedRepliesTable
}

/** A field with what it was and what it is; null where only that it changed may be told. */
type AuditChanges = Record<string, [unknown, unknown] | null>

type AuditEntriesTable = {
  id: SetByDatabase<number>
  at: SetByDatabase<Date>
  accountId: SetByDatabase<string | null>
  actor: SetByDatabase<'member' | 'key' | 'operator' | 'command' | 'service'>
  actorId: SetByDatabase<string | null>
  actorName: SetByDatabase<string | null>
  ip: SetByDatabase<string | null>
  action: SetByDatabase<string>
  subjectId: SetByDatabase<string | null>
  subjectName: SetByDatabase<string | null>
  changes: SetByDatabase<AuditChanges>
}

type ProcessesTable = {
  id: SetByDatabase<string>
  kind: SetByDatabase<'api' | 'worker'>
  version: SetByDatabase<string>
  facts: SetByDatabase<Record<string, unknown>>
  startedAt: SetByDatabase<Date>
  seenAt: SetByDatabase<Date>
}

/** What came of asking the mail servers of one provider from one way out in one hour. */
type ProviderHoursTable = {
  provider: SetByDatabase<string>
  egress: SetByDatabase<string>
  hour: SetByDatabase<Date>
  probes: SetByDatabase<number>
  conclusive: SetByDatabase<number>
  deferred: SetByDatabase<number>
  blocked: SetByDatabase<number>
  noResponse: SetByDatabase<number>
  throttled: SetByDatabase<number>
  ms: SetByDatabase<number[]>
  lastBlock: SetByDatabase<string | null>
  lastBlockAt: SetByDatabase<Date | null>
}

/** What the doctor found, as of its last look. `host` is '' for what is the same whoever looks. */
type DoctorFindingsTable = {
  host: SetByDatabase<string>
  checkId: SetByDatabase<string>
  subject: SetByDatabase<string>
  status: SetByDatabase<DoctorStatus>
  observed: SetByDatabase<string>
  fix: SetByDatabase<DoctorFix | null>
  checkedAt: SetByDatabase<Date>
  since: SetByDatabase<Date>
}

type ProviderBrakesTable = {
  provider: string
  pausedAt: Generated<Date | null>
  ratePercent: Generated<number>
  suspensionLiftedAt: Generated<Date | null>
}
type EgressBrakesTable = { egress: string; drainedAt: Generated<Date | null> }

type OptedOutDomainsTable = { domain: string; note: string; addedAt: SetByDatabase<Date> }

type JobReviewsTable = {
  jobId: string
  accountId: string
  reason: 'guessed_addresses' | 'domain_limit'
  state: 'sampling' | 'passed' | 'waiting' | 'released' | 'canceled'
  domain: string
  domainCount: number
  sampleSize: Generated<number>
  sampleDone: SetByDatabase<number>
  sampleInvalid: SetByDatabase<number>
  since: SetByDatabase<Date>
}

type UnrecognisedRepliesTable = {
  provider: string
  stage: string
  code: number
  reply: string
  seen: number
  firstSeenAt: Date
  lastSeenAt: Date
  checkedAt: Generated<Date | null>
}
