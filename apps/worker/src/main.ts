import { isOutage, isRoleDenied } from '@probity/database/outage'
import { ForeignMigrations } from '@probity/database/schema-version'
import { publicInternet } from '@probity/engine/mailbox/address-policy'
import { HABITS } from '@probity/engine/mailbox/data/habits'
import { LANDMARKS } from '@probity/engine/mailbox/data/landmarks'
import { BadSettings } from '@probity/settings/bad-settings'
import { readConfig } from './config.ts'
import { openLog } from './log.ts'
import { start } from './start.ts'
import { LOOK_EVERY } from './ways-out.ts'

const HTTPS_PORT = 443

/** Whatever hangs, the process is gone within 30 seconds of being told to stop. */
const GONE_WITHIN_MS = 28_000

try {
  const config = readConfig(process.env)
  const denied = config.deniedAddresses
  const webhooks = { policy: publicInternet(denied, HTTPS_PORT) }
  const lookout = { landmarks: LANDMARKS, ...LOOK_EVERY }
  const surroundings = { policy: publicInternet(denied), habits: HABITS, webhooks, lookout }
  const worker = await start(config, surroundings, openLog(config.logLevel))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      setTimeout(() => process.exit(1), GONE_WITHIN_MS).unref()
      void worker.stop().then(() => process.exit(0))
    })
  }
} catch (error) {
  if (error instanceof BadSettings || error instanceof ForeignMigrations) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 78 // EX_CONFIG of sysexits.h: a supervisor need not try again
  } else if (isRoleDenied(error)) {
    process.stderr.write(
      'The login of DATABASE_URL cannot switch to the role probity_worker. docs/running.md says how to create the login of the worker.\n',
    )
    process.exitCode = 78
  } else if (isOutage(error)) {
    process.stderr.write('PostgreSQL cannot be reached at DATABASE_URL.\n')
    process.exitCode = 75 // EX_TEMPFAIL: it may
  } else {
    throw error
  }
}
