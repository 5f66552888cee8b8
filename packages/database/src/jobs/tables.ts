import type { MalformedOption, RerunRows, SeveralAddresses } from '@probity/contract/constants/jobs'
import type { ColumnType, Generated } from 'kysely'
import type { SetByDatabase } from '../connection/columns.ts'
import type { TallyEntry } from './results/result-chunk.ts'
import type { Tallies } from './results/result-tallies.ts'

export type JobTables = {
  jobBatches: JobBatchesTable
  jobBreakdowns: JobBreakdownsTable
  jobCounts: { accountId: string; jobId: string; status: string; subStatus: string; count: number }
  jobQueue: JobQueueTable
  jobs: JobsTable
  reportLinks: ReportLinksTable
  resultChunks: ResultChunksTable
  uploads: UploadsTable
}

type UploadsTable = {
  id: Generated<string>
  accountId: string
  mode: 'live' | 'test'
  filename: string
  sizeBytes: number
  columns: string[]
  delimiter: string
  encoding: string
  headerRow: number | null
  suggestedColumn: string
  rowCount: number
  emailCount: number
  uniqueCount: number
  storageKey: string
  createdAt: SetByDatabase<Date>
  expiresAt: Generated<Date>
  /** Null for an upload of an earlier version. */
  fileHash: Generated<string | null>
}

/** Progress of a job. `paused_at` is independent of it. */
type JobStage = 'queued' | 'planning' | 'processing' | 'completed' | 'canceled' | 'failed'

type JobsTable = {
  id: SetByDatabase<string>
  accountId: string
  mode: 'live' | 'test'
  uploadId: string
  keyId: string | null
  filename: string
  emailColumn: string
  reference: Generated<string | null>
  state: Generated<JobStage>
  pausedAt: Generated<Date | null>
  rowCount: number
  blankCount: Generated<number>
  notAddressCount: Generated<number>
  extraAddressCount: Generated<number>
  leftOutCount: Generated<number>
  severalAddresses: Generated<SeveralAddresses>
  malformed: Generated<MalformedOption>
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
  /** Planned batches from this number on wait for the review of a sample. */
  dispatchLimit: Generated<number | null>
  dispatched: Generated<number>
  createdAt: SetByDatabase<Date>
  startedAt: Generated<Date | null>
  finishedAt: Generated<Date | null>
  ai: Generated<boolean>
  catchall: Generated<boolean>
  maxAgeS: Generated<number | null>
  callbackUrl: string | null
  lastSettledAt: Generated<Date | null>
  resultsGeneration: SetByDatabase<number>
  orderEpoch: SetByDatabase<number>
  orderer: SetByDatabase<string | null>
  /** Given by a client; null: the name of the file. */
  name: Generated<string | null>
  tags: Generated<string[]>
  rerunOf: Generated<string | null>
  rerunRows: Generated<RerunRows | null>
  /** When the results of a rerun of unknown rows were merged into the job that it runs again. */
  mergedAt: SetByDatabase<Date | null>
  mergeAttempts: SetByDatabase<number>
  merger: SetByDatabase<string | null>
}

type ReportLinksTable = {
  id: SetByDatabase<string>
  accountId: string
  jobId: string
  tokenHash: Buffer
  createdAt: SetByDatabase<Date>
  expiresAt: Date
  revokedAt: Generated<Date | null>
}

type JobBatchesTable = {
  expiresOn: string
  accountId: string
  jobId: string
  no: number
  rowNos: number[]
  emails: string[]
}

type JobQueueTable = {
  jobId: string
  no: number
  accountId: string
  site: string
  siteMax: number
  size: number
  egress: Generated<string | null>
  waitReason: Generated<string | null>
  retryAt: Generated<Date | null>
  queuedAt: Generated<Date | null>
  claimedBy: Generated<string | null>
  claimedAt: Generated<Date | null>
  epoch: Generated<number>
  attempts: Generated<number>
  deferrals: Generated<number>
  throttles: Generated<number>
  noResponses: Generated<number>
  suspect: Generated<boolean>
  straggling: Generated<boolean>
}

type ResultChunksTable = {
  expiresOn: string
  accountId: string
  jobId: string
  generation: number
  no: number
  codec: Generated<number>
  size: number
  firstRow: number
  lastRow: number
  rowNos: number[]
  tally: ColumnType<TallyEntry[], string, never>
  index: Buffer
  results: Buffer
  settledAt: Generated<Date>
}

type JobBreakdownsTable = {
  jobId: string
  accountId: string
  expiresOn: string
  tallies: ColumnType<Tallies, string, string>
}
