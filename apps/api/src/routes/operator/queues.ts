import { type DueTimes, OperatorQueues, Requeued } from '@probity/contract/operator'
import { asOperator } from '@probity/database/connect'
import {
  COUNTED_MINUTES,
  getCallersQueue,
  getListsQueue,
  getWebhooksQueue,
  listStuckJobs,
  requeueJob,
  type StuckJob,
} from '@probity/database/operator-queues'
import { QUEUES, readDepths } from '@probity/queue/depth'
import Type from 'typebox'
import { found } from '../../problem.ts'
import type { Route } from '../../route.ts'

const Params = Type.Object({ job_id: Type.String({ format: 'uuid' }) })

/** What waits, how long, and what has come to a stop. */
export const manageQueues: Route = async (app, { db, redis, queuePrefix }) => {
  app.get('/queues', { schema: { response: { 200: OperatorQueues } } }, async () => {
    const depths = await readDepths(redis, queuePrefix).catch(() => undefined) // PostgreSQL has the rows all the same
    const tasks = depths ?? QUEUES.map((name) => ({ name, waiting: null, active: null }))
    return asOperator(db, async (trx): Promise<OperatorQueues> => {
      const callers = await getCallersQueue(trx)
      const lists = await getListsQueue(trx)
      const webhooks = await getWebhooksQueue(trx)
      return {
        tasks,
        callers: {
          waiting: callers.waiting,
          oldest: callers.oldest?.toISOString() ?? null,
          in_per_minute: callers.came / COUNTED_MINUTES,
          out_per_minute: callers.went / COUNTED_MINUTES,
          put_off: dueOf(callers),
        },
        lists: {
          under_way: lists.underWay,
          paused: lists.paused,
          waiting: lists.waiting,
          worked_on: lists.workedOn,
          out_per_minute: lists.went / COUNTED_MINUTES,
          put_off: dueOf(lists),
          stuck: (await listStuckJobs(trx)).map(presentStuck),
        },
        webhooks: { ...webhooks, oldest: webhooks.oldest?.toISOString() ?? null },
      }
    })
  })

  const again = { params: Params, response: { 200: Requeued } }
  app.post('/queues/lists/:job_id/requeue', { schema: again }, async ({ params }) => ({
    batches: found(await asOperator(db, (trx) => requeueJob(trx, params.job_id))),
  }))
}

function dueOf({
  minute,
  tenMinutes,
  hour,
  later,
}: {
  minute: number
  tenMinutes: number
  hour: number
  later: number
}): DueTimes {
  return { minute, ten_minutes: tenMinutes, hour, later }
}

function presentStuck({ jobId, accountId, accountName, createdAt, lastDoneAt, ...job }: StuckJob) {
  return {
    ...job,
    job_id: jobId,
    account_id: accountId,
    account_name: accountName,
    created_at: createdAt.toISOString(),
    last_done_at: lastDoneAt?.toISOString() ?? null,
  }
}
