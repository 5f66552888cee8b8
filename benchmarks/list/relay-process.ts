import { startRelay } from '@probity/lab/relay'
import { layOut } from '@probity/lab/simulation/loopback'
import { createMailPopulation, type SimulationSize } from '@probity/lab/simulation/population'

/** The task of the relays: the simulation behind them and the delay that they add. */
export type RelaysTask = { size: SimulationSize; addressBase: string; smtpPort: number; port: number; delayMs: number }

/** Relays in front of all simulated mail servers, in their own process. They end with their parent. */
const { size, addressBase, smtpPort, port, delayMs } = JSON.parse(process.argv[2] ?? '') as RelaysTask
const relays = await Promise.all(
  layOut(addressBase, createMailPopulation(size).domains).listeners.map(({ address: host }) =>
    startRelay({ host, port, to: { host, port: smtpPort }, delayMs }),
  ),
)
process.once('disconnect', () => void Promise.all(relays.map((relay) => relay.stop())))
process.send?.('listening')
