import { WORLD_ADDRESS_LIMITS } from '@probity/lab/simulation/data/provider-limits'
import type { EgressCheckSettings } from '@probity/worker/probing/egress-monitor'
import { readConfig } from '@probity/worker/server/config'
import { openLog } from '@probity/worker/server/log'
import { start } from '@probity/worker/server/start'
import { PATIENT_HABITS } from './lenient-limits.ts'

/** What a worker over the world is told: its settings as production's has them, and where the world is. */
export type WorkerTask = {
  settings: Record<string, string>
  smtpPort: number
  addressBase: string
  /** Where webhooks are received, if any are sent. */
  webhooks?: { port: number; addressBase: string; authority: string }
  /** Whose greeting shows that mail servers can be reached, if that is to be found out. */
  egressChecks?: EgressCheckSettings
}

/** A worker as in production, but that it dials the world and nobody else. */
const { settings, smtpPort, addressBase, webhooks, egressChecks } = JSON.parse(process.argv[2] ?? '') as WorkerTask
const config = readConfig(settings)
const within = (base: string) => (address: string) => address.startsWith(`${base}.`)
const surroundings = {
  policy: { port: smtpPort, allows: within(addressBase) },
  providerLimits: PATIENT_HABITS,
  addressLimits: WORLD_ADDRESS_LIMITS,
  ...(egressChecks && { egressChecks }),
  ...(webhooks && {
    webhooks: { policy: { port: webhooks.port, allows: within(webhooks.addressBase) }, authority: webhooks.authority },
  }),
}
const worker = await start(config, surroundings, openLog(config.logLevel))
process.once('SIGTERM', () => void worker.stop().then(() => process.disconnect()))
process.once('disconnect', () => void worker.stop()) // whoever started it is gone
process.send?.('working')
