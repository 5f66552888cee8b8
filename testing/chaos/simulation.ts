import { type SimulationOptions, startSimulation } from '@probity/lab/simulation/start'

/** The simulation in its own process, which is never killed or paused. It ends with its parent. */
const running = await startSimulation(JSON.parse(process.argv[2] ?? '') as SimulationOptions)
process.once('disconnect', () => void running.stop())
process.send?.({ dnsPort: running.dnsPort, smtpPort: running.smtpPort })
