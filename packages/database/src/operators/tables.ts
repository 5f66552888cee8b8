import type { DoctorFix, DoctorStatus } from '@probity/contract/constants/operators'
import type { Generated } from 'kysely'
import type { SetByDatabase } from '../connection/columns.ts'

export type OperatorTables = {
  auditEntries: AuditEntriesTable
  doctorFindings: DoctorFindingsTable
  egressControls: EgressControlsTable
  jobReviews: JobReviewsTable
  optedOutDomains: OptedOutDomainsTable
  providerControls: ProviderControlsTable
  providerHours: ProviderHoursTable
  unrecognizedReplies: UnrecognizedRepliesTable
}

/** The old and the new value of each field; null if the values are confidential. */
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

/** Probe results of one provider and one egress in one hour. */
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

/** Findings of the last run of the doctor. `host` is empty for checks that do not depend on the host. */
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

type ProviderControlsTable = {
  provider: string
  pausedAt: Generated<Date | null>
  ratePercent: Generated<number>
  suspensionLiftedAt: Generated<Date | null>
}
type EgressControlsTable = { egress: string; drainedAt: Generated<Date | null> }

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

type UnrecognizedRepliesTable = {
  provider: string
  stage: string
  code: number
  reply: string
  seen: number
  firstSeenAt: Date
  lastSeenAt: Date
  checkedAt: Generated<Date | null>
}
