import { registerHooks } from 'node:module'
import type { WorkerConfig } from './config.ts'

/** A worker in a separate process that prints the URLs of all loaded modules. Its settings are passed as JSON in its argument. */
const loaded: string[] = []
registerHooks({
  load(url, context, next) {
    loaded.push(url)
    return next(url, context)
  },
})

const config = JSON.parse(process.argv[2] ?? '') as WorkerConfig
const { openLog } = await import('./log.ts')
const { start } = await import('./start.ts')
const { hasUntrustedInput } = await import('./config.ts')
const internet = hasUntrustedInput(config.tasks) ? await import('./internet.ts') : undefined
const worker = await start(config, internet?.describeInternet([]), openLog('silent'))
await worker.stop()
process.stdout.write(JSON.stringify(loaded))
