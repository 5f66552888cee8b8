import { startWorld, type WorldOptions } from '@probity/lab/simulation/start'

/** The world in a process of its own, which nobody harms. It ends with whoever started it. */
const running = await startWorld(JSON.parse(process.argv[2] ?? '') as WorldOptions)
process.once('disconnect', () => void running.stop())
process.send?.({ dnsPort: running.dnsPort, smtpPort: running.smtpPort })
