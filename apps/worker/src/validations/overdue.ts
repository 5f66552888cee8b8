import { startInterval } from '@probity/concurrency/scheduling'
import { pendingResult } from '@probity/contract/schemas/validations/stored-result'
import { inTenant } from '@probity/database/connection/connect'
import { listOverdue } from '@probity/database/validations/queue'
import { finishValidation } from '@probity/database/validations/validations'
import type { Services } from '../server/services.ts'

const LOOK_EVERY_MS = 60_000
const AT_ONCE_MAX = 100

/** Ends validations that have been open for a day. Their result is unknown, and the refund rule decides on the credit. */
export async function endOverdue({ db }: Pick<Services, 'db'>): Promise<number> {
  const overdue = await listOverdue(db, AT_ONCE_MAX)
  for (const { email, ...ref } of overdue) {
    const ending = { conclusive: false, result: pendingResult(email, 'timeout') }
    await inTenant(db, ref.accountId, (trx) => finishValidation(trx, ref, ending))
  }
  return overdue.length
}

/** Runs once a minute. Any number of workers can run it. */
export function startEndingOverdue(services: Pick<Services, 'db' | 'log'>) {
  const run = async () => {
    const ended = await endOverdue(services)
    if (ended > 0) services.log.warn({ ended }, 'ended validations that were open for a day')
  }
  return startInterval(LOOK_EVERY_MS, run, {
    delayFirst: true,
    onError: (error) => services.log.warn({ err: error }, 'failed to look for overdue validations'),
  })
}
