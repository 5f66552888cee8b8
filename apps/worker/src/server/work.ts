import { hostname } from 'node:os'
import { withoutTenant } from '@probity/database/connection/connect'
import { startNotingProcess } from '@probity/database/system/processes'
import { openInteractiveQueue, startInteractiveWorker } from '@probity/redis/task-queues'
import type { WorkerTask } from '@probity/settings/worker-settings'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import manifest from '../../package.json' with { type: 'json' }
import { startJobs } from '../jobs/start.ts'
import { watchRateLimiter } from '../probing/instrumentation.ts'
import type { ProbingEnvironment } from '../probing/probers.ts'
import { startYielding, type Yielding } from '../probing/yield.ts'
import { startEndingOverdue, startValidationDispatcher } from '../validations/dispatcher.ts'
import { workInteractive } from '../validations/processor.ts'
import { startWebhooks } from '../webhooks/dispatcher.ts'
import type { WorkerConfig } from './config.ts'
import { describeDoctorInput, startDoctor } from './doctor.ts'
import { openServices, type Services } from './services.ts'

/** A running group of tasks. */
export type RunningTasks = {
  /** Checks of PostgreSQL and Redis for the metrics. */
  dependencies: { postgres(): Promise<unknown>; redis(): Promise<unknown> }
  /** Stops taking work, finishes running tasks and closes. */
  stop(): Promise<void>
}

/**
 * Runs validations, jobs and webhooks: tasks from the queue, and those that the queue lost from PostgreSQL. The address policy is an
 * argument and not a setting, so that no environment variable can direct a worker at its own network.
 */
export async function startWork(
  config: WorkerConfig,
  environment: ProbingEnvironment,
  { log, metrics }: { log: Logger; metrics: Registry },
): Promise<RunningTasks> {
  const services = await openServices(config, environment, { log, metrics })
  const { workerId, db, redis, egressMonitor, resolverMonitor, egresses } = services
  const runs = (task: WorkerTask) => config.tasks.includes(task)
  watchRateLimiter(metrics, { redis, prefix: config.queuePrefix, egresses, providerLimits: environment.providerLimits })
  const yielding = await startYielding(services)
  const parts = [
    runs('validations') ? startValidations(services, config, yielding) : undefined,
    runs('jobs') && config.listSlots > 0 ? await startJobs(services, config, yielding) : undefined,
    runs('webhooks') && config.webhookSlots > 0 && environment.webhooks
      ? startWebhooks(services, config, {
          ...environment.webhooks,
          policy: services.ownAddresses.except(environment.webhooks.policy),
        })
      : undefined,
  ]
  const note = {
    id: workerId,
    kind: 'worker',
    version: manifest.version,
    facts: () => ({
      ...describeWorker(config, environment),
      probing: egressMonitor.probing(),
      resolver_trusted: resolverMonitor.isTrusted(),
    }),
  } as const
  const heartbeats = startNotingProcess(db, note, (error) => log.debug({ err: error }, 'heartbeat failed'))
  egressMonitor.whenChanged(() => heartbeats.runNow())
  resolverMonitor.whenChanged(() => heartbeats.runNow())
  const doctor = startDoctor(describeDoctorInput(config, environment, services), log)
  return {
    dependencies: { postgres: () => withoutTenant(db, async () => undefined), redis: () => redis.ping() },
    async stop() {
      doctor.stop()
      await Promise.all([yielding.stop(), ...parts.map((part) => part?.stop())])
      await heartbeats.stop()
      await services.close()
    },
  }
}

/** Interactive validations: from the queue, and by polling those that the queue lost. */
function startValidations(services: Services, config: WorkerConfig, yielding: Yielding): { stop(): Promise<void> } {
  const work = workInteractive(services)
  const interactive = startInteractiveWorker(config.redisUrl, config.queuePrefix, config.concurrency, work)
  yielding.control(interactive)
  const queue = openInteractiveQueue(config.redisUrl, config.queuePrefix)
  const executors = { work, handOver: queue.add, isYielding: yielding.isYielding }
  const dispatching = config.release
    ? [startValidationDispatcher(services, config.directUrl, executors), startEndingOverdue(services)]
    : []
  return {
    async stop() {
      await Promise.all([interactive.close(), ...dispatching.map((loop) => loop.stop())])
      await queue.close()
    },
  }
}

/** The description of a worker for operators. A proxy URL may contain a password, so only its host is included. */
function describeWorker(
  { egresses, listSlots, webhookSlots, release, tasks }: WorkerConfig,
  { providerLimits }: ProbingEnvironment,
) {
  return {
    host: hostname(),
    tasks,
    egresses: egresses.map(({ name, heloName, localAddress, socks5 }) => ({
      name,
      helo: heloName,
      address: localAddress ?? null,
      proxy: socks5 ? `${socks5.host}:${socks5.port}` : null,
    })),
    limits: Object.fromEntries(
      Object.entries(providerLimits).map(([provider, { connectionsPerEgress: connections, connectionsPerMinute }]) => [
        provider,
        { connections, per_minute: connectionsPerMinute },
      ]),
    ),
    list_slots: listSlots,
    webhook_slots: webhookSlots,
    release,
  }
}
