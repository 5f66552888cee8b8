import { WORLD_HABITS } from '@probity/lab/world/data/habits'
import { readConfig } from '@probity/worker/config'
import { openLog } from '@probity/worker/log'
import { start } from '@probity/worker/start'

/** What a worker over the world is told: its settings as production's has them, and where the world is. */
export type WorkerTask = { settings: Record<string, string>; smtpPort: number; addressBase: string }

/** A worker as in production, but that it dials the world and nobody else. */
const { settings, smtpPort, addressBase } = JSON.parse(process.argv[2] ?? '') as WorkerTask
const config = readConfig(settings)
const policy = { port: smtpPort, allows: (address: string) => address.startsWith(`${addressBase}.`) }
const worker = await start(config, { policy, habits: WORLD_HABITS }, openLog(config.logLevel))
process.once('SIGTERM', () => void worker.stop().then(() => process.disconnect()))
process.once('disconnect', () => void worker.stop()) // whoever started it is gone
process.send?.('working')
