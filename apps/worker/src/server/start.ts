import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { startNotingProcess } from '@probity/database/system/processes'
import { openInteractiveQueue, startInteractiveWorker } from '@probity/redis/task-queues'
import type { Logger } from 'pino'
import manifest from '../../package.json' with { type: 'json' }
import { startReviewing } from '../jobs/reviews.ts'
import { startLists } from '../jobs/start.ts'
import { startExpiringKeys } from '../maintenance/expired-keys.ts'
import { startAuditing } from '../maintenance/reconciliation.ts'
import type { Surroundings } from '../probing/probers.ts'
import { startStandingAside } from '../probing/yield.ts'
import { startReleasing } from '../validations/dispatcher.ts'
import { startEndingOverdue } from '../validations/overdue.ts'
import { workInteractive } from '../validations/processor.ts'
import { startWebhooks } from '../webhooks/start.ts'
import type { WorkerConfig } from './config.ts'
import { describePatient, startLookingAround } from './doctor.ts'
import { serveWorkerMetrics } from './serve-metrics.ts'
import { openServices } from './services.ts'

export type RunningWorker = {
  /** Where metrics are served, if they are. */
  metricsAddress: AddressInfo | undefined
  /** Stops taking work, finishes running tasks and closes. */
  stop(): Promise<void>
}

/**
 * Starts the worker: tasks from the queue, and what the queue lost from PostgreSQL. What it may dial is handed in here and stands
 * in no setting, so that nothing in an environment can turn a worker against its own network.
 */
export async function start(config: WorkerConfig, surroundings: Surroundings, log: Logger): Promise<RunningWorker> {
  const services = await openServices(config, surroundings, log)
  const metrics = await serveWorkerMetrics(services, config, surroundings.habits)
  const work = workInteractive(services)
  const interactive = startInteractiveWorker(config.redisUrl, config.queuePrefix, config.concurrency, work)
  const aside = await startStandingAside(services)
  aside.lead(interactive)
  const lists = config.listSlots > 0 ? await startLists(services, config, aside) : undefined
  const queue = openInteractiveQueue(config.redisUrl, config.queuePrefix)
  const hands = { work, handOver: queue.add, isAside: aside.isAside }
  const releasing = config.release
    ? [
        startReleasing(services, config.directUrl, hands),
        startEndingOverdue(services),
        startAuditing(services),
        startReviewing(services),
        startExpiringKeys(services),
      ]
    : []
  const outside = config.webhookSlots > 0 ? surroundings.webhooks : undefined
  const webhooks =
    outside && startWebhooks(services, config, { ...outside, policy: services.ownAddresses.except(outside.policy) })
  const { workerId, db, ways } = services
  const note = {
    id: workerId,
    kind: 'worker',
    version: manifest.version,
    facts: () => ({ ...factsOf(config, surroundings), probing: ways.probing() }),
  } as const
  const presence = startNotingProcess(db, note, (error) => log.debug({ err: error }, 'heartbeat failed'))
  ways.whenChanged(() => presence.runNow())
  const doctor = startLookingAround(describePatient(config, surroundings, services), log)
  log.info('worker started')

  async function stop(): Promise<void> {
    log.info('worker stopping')
    doctor.stop()
    await Promise.all([
      aside.stop(),
      interactive.close(),
      lists?.stop(),
      webhooks?.stop(),
      ...releasing.map((loop) => loop.stop()),
    ])
    await Promise.all([presence.stop(), queue.close(), metrics?.stop()])
    await services.close()
    log.info('worker stopped')
  }
  let stopped: Promise<void> | undefined
  return {
    metricsAddress: metrics?.address,
    stop: () => {
      stopped ??= stop()
      return stopped
    },
  }
}

/** The description of a worker for operators. A proxy URL may contain a password, so only its host is included. */
function factsOf({ egresses, listSlots, webhookSlots, release }: WorkerConfig, { habits }: Surroundings) {
  return {
    host: hostname(),
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
