import type { Listed } from '@probity/contract/listed'
import type { Generated } from 'kysely'
import type { SetByDatabase } from './set-by-database.ts'

export type UploadsTable = {
  id: SetByDatabase<string>
  accountId: string
  mode: 'live' | 'test'
  filename: string
  sizeBytes: number
  columns: string[]
  delimiter: string
  encoding: string
  hasHeader: boolean
  suggestedColumn: string
  rowCount: number
  emailCount: number
  uniqueCount: number
  storageKey: string
  createdAt: SetByDatabase<Date>
  expiresAt: Generated<Date>
}

/** How far a job has got. That it is paused stands beside it. */
type JobStage = 'queued' | 'planning' | 'processing' | 'completed' | 'canceled' | 'failed'

export type JobsTable = {
  id: SetByDatabase<string>
  accountId: string
  mode: 'live' | 'test'
  uploadId: string
  keyId: string | null
  filename: string
  emailColumn: string
  state: Generated<JobStage>
  pausedAt: Generated<Date | null>
  rowCount: number
  emailCount: number
  uniqueCount: number
  doneCount: Generated<number>
  refundedCount: Generated<number>
  creditsPerEmail: number
  refundUnknown: boolean
  expiresOn: string
  planEpoch: SetByDatabase<number>
  planAttempts: SetByDatabase<number>
  planBegunAt: SetByDatabase<Date | null>
  planner: SetByDatabase<string | null>
  nextBatch: Generated<number>
  dispatched: Generated<number>
  createdAt: SetByDatabase<Date>
  startedAt: Generated<Date | null>
  finishedAt: Generated<Date | null>
  ai: Generated<boolean>
  catchall: Generated<boolean>
}

export type JobBatchesTable = {
  expiresOn: string
  accountId: string
  jobId: string
  no: number
  site: string
  siteMax: number
  rowNos: number[]
  emails: string[]
  size: number
  state: Generated<'pending' | 'done'>
  deferrals: Generated<number>
  throttles: Generated<number>
  noResponses: Generated<number>
  egress: Generated<string | null>
  waitReason: Generated<string | null>
  retryAt: Generated<Date | null>
  queuedAt: Generated<Date | null>
  epoch: Generated<number>
  attempts: Generated<number>
  suspect: Generated<boolean>
  claimedBy: Generated<string | null>
  claimedAt: Generated<Date | null>
  straggling: Generated<boolean>
  doneAt: Generated<Date | null>
}

export type JobResultsTable = {
  expiresOn: string
  accountId: string
  jobId: string
  rowNo: number
  email: string
  status: string
  subStatus: string
  result: unknown
  provider: SetByDatabase<string>
  domain: SetByDatabase<string>
  safeToSend: SetByDatabase<boolean>
  override: Generated<Listed | null>
}
