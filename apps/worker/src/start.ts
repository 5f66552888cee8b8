import { startNotingProcess } from '@probity/database/processes'
import { startInteractiveWorker } from '@probity/queue/interactive'
import type { Logger } from 'pino'
import manifest from '../package.json' with { type: 'json' }
import type { WorkerConfig } from './config.ts'
import { startLists } from './lists.ts'
import type { Surroundings } from './mailboxes.ts'
import { workInteractive } from './processors/interactive.ts'
import { startAuditing } from './release/audit.ts'
import { startEndingOverdue } from './release/overdue.ts'
import { startReleasing } from './release/waiting.ts'
import { openServices } from './services.ts'
import { startWebhooks } from './webhooks.ts'

export type RunningWorker = {
  /** Takes no more work, finishes what it has begun and closes. */
  stop(): Promise<void>
}

/**
 * Starts the worker: tasks from the queue, and what the queue lost from PostgreSQL. What it may dial is handed in here and stands
 * in no setting, so that nothing in an environment can turn a worker against its own network.
 */
export async function start(config: WorkerConfig, surroundings: Surroundings, log: Logger): Promise<RunningWorker> {
  const services = await openServices(config, surroundings, log)
  const work = workInteractive(services)
  const interactive = startInteractiveWorker(config.redisUrl, config.queuePrefix, config.concurrency, work)
  const releasing = config.release
    ? [startReleasing(services, config.directUrl, work), startEndingOverdue(services), startAuditing(services)]
    : []
  const lists = config.listSlots > 0 ? await startLists(services, config) : undefined
  const outside = config.webhookSlots > 0 ? surroundings.webhooks : undefined
  const webhooks = outside && startWebhooks(services, config, outside)
  const { workerId, db } = services
  const note = {
    id: workerId,
    kind: 'worker',
    version: manifest.version,
    facts: factsOf(config, surroundings),
  } as const
  const presence = startNotingProcess(db, note, (error) => log.debug({ err: error }, 'no sign of life given'))
  log.info('working')

  async function stop(): Promise<void> {
    log.info('stopping')
    await Promise.all([interactive.close(), lists?.stop(), webhooks?.stop(), ...releasing.map((loop) => loop.stop())])
    await presence.stop()
    await services.close()
    log.info('stopped')
  }
  let stopped: Promise<void> | undefined
  return {
    stop: () => {
      stopped ??= stop()
      return stopped
    },
  }
}

/** What operators see of a worker. The way to a proxy may hold a password, so only its host is told. */
function factsOf({ egresses, listSlots, webhookSlots, release }: WorkerConfig, { habits }: Surroundings) {
  return {
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
