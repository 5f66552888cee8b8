import { startRelay } from '@probity/lab/relay'
import { layOut } from '@probity/lab/simulation/loopback'
import { makeWorld, type WorldSize } from '@probity/lab/simulation/population'

/** What the relays are told: the world that they stand before, and how far away they make it. */
export type RelaysTask = { size: WorldSize; addressBase: string; smtpPort: number; port: number; delayMs: number }

/** Relays before all mail servers of a world, in a process of their own. They end with whoever started them. */
const { size, addressBase, smtpPort, port, delayMs } = JSON.parse(process.argv[2] ?? '') as RelaysTask
const relays = await Promise.all(
  layOut(addressBase, makeWorld(size).domains).listeners.map(({ address: host }) =>
    startRelay({ host, port, to: { host, port: smtpPort }, delayMs }),
  ),
)
process.once('disconnect', () => void Promise.all(relays.map((relay) => relay.stop())))
process.send?.('listening')
