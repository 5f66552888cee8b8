import { startWorld, type WorldOptions } from '@probity/lab/simulation/start'

/** The world in a process of its own, so that who asks and who answers do not share a core. It ends with whoever started it. */
const running = await startWorld(JSON.parse(process.argv[2] ?? '') as WorldOptions)
process.once('disconnect', () => void running.stop())
process.on('message', () => process.send?.(running.connections()))
process.send?.({ dnsPort: running.dnsPort, smtpPort: running.smtpPort })
