import { PROVIDER_LIMITS } from '@probity/engine/smtp/providers/data/limits'
import type { WorkerConfig } from '../server/config.ts'
import { openLog } from '../server/log.ts'
import { start } from '../server/start.ts'

/** A worker in a separate process that crashes before it connects to one address. Its settings are passed as JSON in its argument. */
const { config, port, poison } = JSON.parse(process.argv[2] ?? '') as {
  config: WorkerConfig
  port: number
  poison: string
}

function allows(address: string): boolean {
  if (address === poison) process.kill(process.pid, 'SIGKILL')
  return address.startsWith('127.')
}

await start(config, { policy: { port, allows }, providerLimits: PROVIDER_LIMITS }, openLog('silent'))
