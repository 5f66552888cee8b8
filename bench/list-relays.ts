import { startRelay } from '@probity/lab/relay'
import { layOut } from '@probity/lab/world/loopback'

/** What the relays are told: the world that they stand before, and how far away they make it. */
export type RelaysTask = { addressBase: string; smtpPort: number; port: number; delayMs: number }

/** Relays before all mail servers of a world, in a process of their own. They end with whoever started them. */
const { addressBase, smtpPort, port, delayMs } = JSON.parse(process.argv[2] ?? '') as RelaysTask
const relays = await Promise.all(
  layOut(addressBase).listeners.map(({ address: host }) =>
    startRelay({ host, port, to: { host, port: smtpPort }, delayMs }),
  ),
)
process.once('disconnect', () => void Promise.all(relays.map((relay) => relay.stop())))
process.send?.('listening')
