import type { AddressInfo } from 'node:net'
import { serveMetrics, watchDependencies, watchProcess } from '@probity/telemetry/metrics'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import manifest from '../../package.json' with { type: 'json' }
import type { ProbingEnvironment } from '../probing/probers.ts'
import { hasUntrustedInput, type WorkerConfig } from './config.ts'
import type { RunningTasks } from './work.ts'

export type RunningWorker = {
  /** Address of the metrics endpoint, if it is enabled. */
  metricsAddress: AddressInfo | undefined
  /** Stops taking work, finishes running tasks and closes. */
  stop(): Promise<void>
}

/**
 * Starts the tasks of the process. Their modules are loaded here and not imported, so that a process for maintenance and notifications
 * contains no code that parses SMTP replies, DNS responses or CSV files. Such a process has no probing environment.
 */
export async function start(
  config: WorkerConfig,
  environment: ProbingEnvironment | undefined,
  log: Logger,
): Promise<RunningWorker> {
  const metrics = new Registry()
  const kind = hasUntrustedInput(config.tasks) ? 'worker' : 'maintenance'
  watchProcess(metrics, { kind, version: manifest.version })
  const served =
    config.metrics &&
    (await serveMetrics(metrics, config.metrics, (error) => log.warn({ err: error }, 'failed to collect metrics')))
  const parts: RunningTasks[] = []
  try {
    if (kind === 'worker') {
      if (environment === undefined) throw new Error('validations, jobs and webhooks need a probing environment')
      const { startWork } = await import('./work.ts')
      parts.push(await startWork(config, environment, { log, metrics }))
    }
    if (config.tasks.includes('maintenance') || config.tasks.includes('notifications')) {
      const { startBackground } = await import('./background.ts')
      parts.push(await startBackground(config, { log, metrics }))
    }
  } catch (error) {
    await Promise.all([served?.stop(), ...parts.map((part) => part.stop())])
    throw error
  }
  const [first] = parts
  if (first) watchDependencies(metrics, first.dependencies)
  log.info({ tasks: config.tasks }, 'worker started')

  async function stop(): Promise<void> {
    log.info('worker stopping')
    await Promise.all(parts.map((part) => part.stop()))
    await served?.stop()
    log.info('worker stopped')
  }
  let stopped: Promise<void> | undefined
  return {
    metricsAddress: served?.address,
    stop: () => {
      stopped ??= stop()
      return stopped
    },
  }
}
