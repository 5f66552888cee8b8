import { type DueTimes, OperatorQueues, Requeued } from '@probity/contract/schemas/operators'
import { asOperator, type Db } from '@probity/database/connection/connect'
import {
  COUNTED_MINUTES,
  getJobsQueue,
  getValidationsQueue,
  getWebhooksQueue,
  listStuckJobs,
  requeueJob,
  type StuckJob,
} from '@probity/database/operators/queues'
import { QUEUES } from '@probity/redis/keys'
import { readQueueDepths } from '@probity/redis/task-queues'
import type { Redis } from 'ioredis'
import Type from 'typebox'
import { found } from '../http/problem.ts'
import type { Route } from '../http/route.ts'

type QueuesDependencies = {
  db: Db
  redis: Redis
  queuePrefix: string
}

const Params = Type.Object({ job_id: Type.String({ format: 'uuid' }) })

/** Queue depths, deferred addresses and stalled jobs. */
export const manageQueues: Route<QueuesDependencies> = async (app, { db, redis, queuePrefix }) => {
  app.get('/queues', { schema: { response: { 200: OperatorQueues } } }, async () => {
    const depths = await readQueueDepths(redis, queuePrefix).catch(() => undefined) // PostgreSQL has the rows in any case
    const tasks = depths ?? QUEUES.map((name) => ({ name, waiting: null, active: null }))
    return asOperator(db, async (trx): Promise<OperatorQueues> => {
      const callers = await getValidationsQueue(trx)
      const lists = await getJobsQueue(trx)
      const webhooks = await getWebhooksQueue(trx)
      return {
        tasks,
        validations: {
          waiting: callers.waiting,
          oldest_at: callers.oldest?.toISOString() ?? null,
          enqueued_per_minute: callers.came / COUNTED_MINUTES,
          completed_per_minute: callers.went / COUNTED_MINUTES,
          deferred: dueOf(callers),
        },
        jobs: {
          in_progress: lists.underWay,
          paused: lists.paused,
          waiting: lists.waiting,
          active: lists.workedOn,
          completed_per_minute: lists.went / COUNTED_MINUTES,
          deferred: dueOf(lists),
          stalled: (await listStuckJobs(trx)).map(presentStalled),
        },
        webhooks: { due: webhooks.due, oldest_at: webhooks.oldest?.toISOString() ?? null, later: webhooks.later },
      }
    })
  })

  const again = { params: Params, response: { 200: Requeued } }
  app.post('/queues/jobs/:job_id/requeue', { schema: again }, async ({ params }) => ({
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

function presentStalled({ jobId, state, accountId, accountName, createdAt, lastDoneAt, ...job }: StuckJob) {
  return {
    ...job,
    status: state,
    job_id: jobId,
    account_id: accountId,
    account_name: accountName,
    created_at: createdAt.toISOString(),
    last_done_at: lastDoneAt?.toISOString() ?? null,
  }
}
