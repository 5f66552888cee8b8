import { type SimulationOptions, startSimulation } from '@probity/lab/simulation/start'

/** The simulation in its own process, so that it does not share a core with the program that probes it. It ends with its parent. */
const running = await startSimulation(JSON.parse(process.argv[2] ?? '') as SimulationOptions)
process.once('disconnect', () => void running.stop())
process.on('message', (wanted: 'connections' | 'recipients') => process.send?.(running[wanted]()))
process.send?.({ dnsPort: running.dnsPort, smtpPort: running.smtpPort })
