import { isOutage, isReadOnly, isRoleDenied } from '@probity/database/connection/outage'
import { ForeignMigrations } from '@probity/database/system/schema-version'
import { BadSettings } from '@probity/settings/parse'
import { hasUntrustedInput, readConfig } from './config.ts'
import { openLog } from './log.ts'
import { start } from './start.ts'

/** The process exits within 30 seconds of a stop signal, even if something hangs. */
const EXIT_WITHIN_MS = 28_000

try {
  const config = readConfig(process.env)
  const internet = hasUntrustedInput(config.tasks) ? await import('./internet.ts') : undefined
  const worker = await start(config, internet?.describeInternet(config.deniedAddresses), openLog(config.logLevel))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      setTimeout(() => process.exit(1), EXIT_WITHIN_MS).unref()
      void worker.stop().then(() => process.exit(0))
    })
  }
} catch (error) {
  if (error instanceof BadSettings || error instanceof ForeignMigrations) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 78 // EX_CONFIG of sysexits.h: a restart does not help
  } else if (isRoleDenied(error)) {
    process.stderr.write(
      'The database login cannot switch to the role of its tasks, probity_worker or probity_maintenance. See docs/postgresql.md for how to create the logins.\n',
    )
    process.exitCode = 78
  } else if (isOutage(error)) {
    const fault = isReadOnly(error) ? 'PostgreSQL is read-only' : 'PostgreSQL cannot be reached'
    process.stderr.write(`${fault} at PROBITY_DATABASE_URL.\n`)
    process.exitCode = 75 // EX_TEMPFAIL: a restart may help
  } else {
    throw error
  }
}
