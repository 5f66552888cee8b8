import { join } from 'node:path'
import { PROVIDER_LIMITS } from '@probity/engine/smtp/providers/data/limits'
import type { ProviderLimitsTable } from '@probity/engine/smtp/providers/limits'
import { whenDone } from '@probity/lab/when-done'
import { readConfig } from '@probity/worker/server/config'
import { openLog } from '@probity/worker/server/log'
import { start } from '@probity/worker/server/start'
import { destination } from 'pino'
import { inject } from 'vitest'

type TestServers = {
  settings: Record<string, string>
  dnsPort: number
  /** The port of all mail servers. */
  smtpPort: number
  /** The IP addresses that the worker may connect to. */
  allows(address: string): boolean
  /** Provider limits, if they differ from those of the simulation. */
  limits?: ProviderLimitsTable
}

/** A worker in this process, for mail servers that the test creates. */
export async function startWorkerHere(servers: TestServers): Promise<void> {
  const { settings, dnsPort, smtpPort, allows, limits = PROVIDER_LIMITS } = servers
  const config = readConfig({
    ...settings,
    DNS_SERVERS: `127.0.0.1:${dnsPort}`,
    SMTP_HELO_NAME: 'probe.probity.example',
    SMTP_MAIL_FROM: 'bounce@probity.example',
  })
  const logFile = join(inject('logFolder'), `worker-${smtpPort}.log`)
  const log = openLog('debug', destination({ dest: logFile, sync: true }))
  const worker = await start(config, { policy: { port: smtpPort, allows }, providerLimits: limits }, log)
  whenDone(() => worker.stop())
}
