import { ForeignMigrations } from '@probity/database/system/schema-version'
import { BadSettings } from '@probity/settings/parse'
import { readConfig } from './config.ts'
import { openLog } from './log.ts'
import { start } from './start.ts'

/** The process ends within 30 seconds of a shutdown signal, whatever hangs. */
const GONE_WITHIN_MS = 28_000

try {
  const config = readConfig(process.env)
  const log = openLog(config.logLevel)
  const api = await start(config, log)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      setTimeout(() => process.exit(1), GONE_WITHIN_MS).unref()
      void api.stop().then(() => process.exit(0))
    })
  }
} catch (error) {
  if (!(error instanceof BadSettings || error instanceof ForeignMigrations)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 78 // EX_CONFIG of sysexits.h: tells the supervisor not to restart the process
}
