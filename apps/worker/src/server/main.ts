import { isOutage, isRoleDenied } from '@probity/database/connection/outage'
import { ForeignMigrations } from '@probity/database/system/schema-version'
import { REFERENCE_HOSTS } from '@probity/engine/smtp/probe/data/reference-hosts'
import { publicInternet } from '@probity/engine/smtp/protocol/address-policy'
import { PROVIDER_LIMITS } from '@probity/engine/smtp/providers/data/limits'
import { BadSettings } from '@probity/settings/bad-settings'
import { LOOK_EVERY } from '../probing/egress-monitor.ts'
import { readConfig } from './config.ts'
import { openLog } from './log.ts'
import { start } from './start.ts'

const HTTPS_PORT = 443

/** The process exits within 30 seconds of a stop signal, even if something hangs. */
const GONE_WITHIN_MS = 28_000

try {
  const config = readConfig(process.env)
  const denied = config.deniedAddresses
  const webhooks = { policy: publicInternet(denied, HTTPS_PORT) }
  const lookout = { landmarks: REFERENCE_HOSTS, ...LOOK_EVERY }
  const surroundings = { policy: publicInternet(denied), habits: PROVIDER_LIMITS, webhooks, lookout }
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
    process.exitCode = 78 // EX_CONFIG of sysexits.h: a restart does not help
  } else if (isRoleDenied(error)) {
    process.stderr.write(
      'The login of PROBITY_DATABASE_URL cannot switch to the role probity_worker. See docs/running.md for how to create the worker login.\n',
    )
    process.exitCode = 78
  } else if (isOutage(error)) {
    process.stderr.write('PostgreSQL cannot be reached at PROBITY_DATABASE_URL.\n')
    process.exitCode = 75 // EX_TEMPFAIL: a restart may help
  } else {
    throw error
  }
}
