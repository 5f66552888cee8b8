import { createBatcher } from '@probity/concurrency/scheduling'
import { isOutage } from '@probity/database/connection/outage'
import { type BatchRef, type ClaimedBatch, claimBatches } from '@probity/database/jobs/batches'
import { type BatchSettlement, type ProcessedBatch, settleBatches } from '@probity/database/jobs/settle-batches'
import { dedupeKey } from '@probity/engine/address/dedupe-key'
import type { Services } from '../server/services.ts'

/** Maximum number of batches that one transaction claims or settles. More would hold the locks on the job and the account for longer. */
const GROUP_MAX = 16
/** How long a processed batch waits for others of its job. Short compared with the seconds that a batch takes. */
const SETTLE_LINGER_MS = 20

/** Claims and settles batches in groups: each transaction costs a commit, and those of one job wait for each other. */
export type BatchGroups = {
  /** Undefined if the batch is settled, claimed by another worker or not to be processed now. */
  claim(ref: BatchRef): Promise<ClaimedBatch | undefined>
  settle(batch: ClaimedBatch, settlement: BatchSettlement): Promise<'settled' | 'lost'>
}

type GroupOutcome = PromiseSettledResult<'settled' | 'lost'>

export function openBatchGroups({ db, workerId, log }: Pick<Services, 'db' | 'workerId' | 'log'>): BatchGroups {
  const gatherClaim = createBatcher<BatchRef, ClaimedBatch | undefined>(GROUP_MAX, (_, refs) =>
    claimBatches(db, workerId, refs),
  )

  /** A batch that cannot be settled must not keep the others of its group from being settled: they follow one by one. */
  async function settleGroup(jobId: string, group: ProcessedBatch[]): Promise<GroupOutcome[]> {
    try {
      const outcomes = await settleBatches(db, group, dedupeKey)
      return outcomes.map((value) => ({ status: 'fulfilled', value }))
    } catch (error) {
      if (group.length === 1 || isOutage(error)) throw error
      log.warn({ err: error, jobId, batches: group.length }, 'failed to settle a group of batches; settling one by one')
    }
    const outcomes: GroupOutcome[] = []
    for (const processed of group) {
      const [outcome] = await Promise.allSettled([settleBatches(db, [processed], dedupeKey)])
      outcomes.push(outcome.status === 'rejected' ? outcome : { ...outcome, value: outcome.value[0] ?? 'lost' })
    }
    return outcomes
  }

  const gatherSettle = createBatcher(GROUP_MAX, settleGroup, { lingerMs: SETTLE_LINGER_MS })
  return {
    claim: (ref) => gatherClaim('', ref),
    async settle(batch, settlement) {
      const settled = await gatherSettle(batch.jobId, { batch, settlement })
      if (settled.status === 'rejected') throw settled.reason
      return settled.value
    },
  }
}
