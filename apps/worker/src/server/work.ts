import { hostname } from 'node:os'
import { withoutTenant } from '@probity/database/connection/connect'
import { startNotingProcess } from '@probity/database/system/processes'
import { openInteractiveQueue, startInteractiveWorker } from '@probity/redis/task-queues'
import type { WorkerTask } from '@probity/settings/worker-settings'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import manifest from '../../package.json' with { type: 'json' }
import { startLists } from '../jobs/start.ts'
import type { Surroundings } from '../probing/probers.ts'
import { watchRateLimiter } from '../probing/rate-limiter-metrics.ts'
import { type Aside, startStandingAside } from '../probing/yield.ts'
import { startReleasing } from '../validations/dispatcher.ts'
import { startEndingOverdue } from '../validations/overdue.ts'
import { workInteractive } from '../validations/processor.ts'
import { startWebhooks } from '../webhooks/start.ts'
import type { WorkerConfig } from './config.ts'
import { describePatient, startLookingAround } from './doctor.ts'
import { openServices, type Services } from './services.ts'

/** What `start` needs to run a group of tasks. */
export type RunningTasks = {
  /** Checks of PostgreSQL and Redis for the metrics. */
  dependencies: { postgres(): Promise<unknown>; redis(): Promise<unknown> }
  /** Stops taking work, finishes running tasks and closes. */
  stop(): Promise<void>
}

/**
 * Runs validations, jobs and webhooks: tasks from the queue, and those that the queue lost from PostgreSQL. The addresses that it may dial
 * are an argument and no setting, so that nothing in an environment can turn a worker against its own network.
 */
export async function startWork(
  config: WorkerConfig,
  surroundings: Surroundings,
  { log, metrics }: { log: Logger; metrics: Registry },
): Promise<RunningTasks> {
  const services = await openServices(config, surroundings, { log, metrics })
  const { workerId, db, redis, ways, egresses } = services
  const runs = (task: WorkerTask) => config.tasks.includes(task)
  watchRateLimiter(metrics, { redis, prefix: config.queuePrefix, egresses, habits: surroundings.habits })
  const aside = await startStandingAside(services)
  const parts = [
    runs('validations') ? startValidations(services, config, aside) : undefined,
    runs('jobs') && config.listSlots > 0 ? await startLists(services, config, aside) : undefined,
    runs('webhooks') && config.webhookSlots > 0 && surroundings.webhooks
      ? startWebhooks(services, config, {
          ...surroundings.webhooks,
          policy: services.ownAddresses.except(surroundings.webhooks.policy),
        })
      : undefined,
  ]
  const note = {
    id: workerId,
    kind: 'worker',
    version: manifest.version,
    facts: () => ({ ...factsOf(config, surroundings), probing: ways.probing() }),
  } as const
  const presence = startNotingProcess(db, note, (error) => log.debug({ err: error }, 'heartbeat failed'))
  ways.whenChanged(() => presence.runNow())
  const doctor = startLookingAround(describePatient(config, surroundings, services), log)
  return {
    dependencies: { postgres: () => withoutTenant(db, async () => undefined), redis: () => redis.ping() },
    async stop() {
      doctor.stop()
      await Promise.all([aside.stop(), ...parts.map((part) => part?.stop())])
      await presence.stop()
      await services.close()
    },
  }
}

/** Interactive validations: from the queue, and by polling those that the queue lost. */
function startValidations(services: Services, config: WorkerConfig, aside: Aside): { stop(): Promise<void> } {
  const work = workInteractive(services)
  const interactive = startInteractiveWorker(config.redisUrl, config.queuePrefix, config.concurrency, work)
  aside.lead(interactive)
  const queue = openInteractiveQueue(config.redisUrl, config.queuePrefix)
  const hands = { work, handOver: queue.add, isAside: aside.isAside }
  const dispatching = config.release
    ? [startReleasing(services, config.directUrl, hands), startEndingOverdue(services)]
    : []
  return {
    async stop() {
      await Promise.all([interactive.close(), ...dispatching.map((loop) => loop.stop())])
      await queue.close()
    },
  }
}

/** The description of a worker for operators. A proxy URL may contain a password, so only its host is included. */
function factsOf({ egresses, listSlots, webhookSlots, release, tasks }: WorkerConfig, { habits }: Surroundings) {
  return {
    host: hostname(),
    tasks,
    egresses: egresses.map(({ name, heloName, localAddress, socks5 }) => ({
      name,
      helo: heloName,
      address: localAddress ?? null,
      proxy: socks5 ? `${socks5.host}:${socks5.port}` : null,
    })),
    habits: Object.fromEntries(
      Object.entries(habits).map(([provider, { connectionsPerEgress: connections, connectionsPerMinute }]) => [
        provider,
        { connections, per_minute: connectionsPerMinute },
      ]),
    ),
    list_slots: listSlots,
    webhook_slots: webhookSlots,
    release,
  }
}
