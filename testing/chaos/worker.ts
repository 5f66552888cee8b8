import { SIMULATED_ADDRESS_LIMITS } from '@probity/lab/simulation/data/provider-limits'
import type { EgressCheckSettings } from '@probity/worker/probing/egress-monitor'
import type { ProbingEnvironment } from '@probity/worker/probing/probers'
import { readConfig } from '@probity/worker/server/config'
import { openLog } from '@probity/worker/server/log'
import { start } from '@probity/worker/server/start'
import { LENIENT_LIMITS } from './lenient-limits.ts'

/** The task of a worker with a simulation: its settings as in production, and the address of the simulation. */
export type WorkerTask = {
  settings: Record<string, string>
  smtpPort: number
  addressBase: string
  /** The webhook receiver, if webhooks are sent. */
  webhooks?: { port: number; addressBase: string; authority: string }
  /** The reference hosts for the egress check, if it runs. */
  egressChecks?: EgressCheckSettings
  /** The names to check the resolver with, if it is checked. */
  resolverNames?: NonNullable<ProbingEnvironment['resolverNames']>
}

/** A worker as in production, except that it connects to the simulation only. */
const { settings, smtpPort, addressBase, webhooks, egressChecks, resolverNames } = JSON.parse(
  process.argv[2] ?? '',
) as WorkerTask
const config = readConfig(settings)
const within = (base: string) => (address: string) => address.startsWith(`${base}.`)
const surroundings = {
  policy: { port: smtpPort, allows: within(addressBase) },
  providerLimits: LENIENT_LIMITS,
  addressLimits: SIMULATED_ADDRESS_LIMITS,
  ...(egressChecks && { egressChecks }),
  ...(resolverNames && { resolverNames }),
  ...(webhooks && {
    webhooks: { policy: { port: webhooks.port, allows: within(webhooks.addressBase) }, authority: webhooks.authority },
  }),
}
const worker = await start(config, surroundings, openLog(config.logLevel))
process.once('SIGTERM', () => void worker.stop().then(() => process.disconnect()))
process.once('disconnect', () => void worker.stop()) // the parent process has ended
process.send?.('working')
