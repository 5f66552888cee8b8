import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort, stopChild } from '@probity/lab/services/daemon'
import { SIMULATED_LIMITS } from '@probity/lab/simulation/data/provider-limits'
import type { SimulatedAddress, SimulationSize } from '@probity/lab/simulation/population'
import { startJobInstance } from '../environment/jobs.ts'
import { type Population, writeCsv } from '../environment/population.ts'
import { ADDRESS_BASE, startSimulationHere } from '../environment/simulation.ts'
import { domainOf } from '../probe/addresses.ts'
import { probeOneByOne } from '../probe/bare-sessions.ts'
import { openHosts } from './bare.ts'
import type { RelaysTask } from './relay-process.ts'

const ROUND_TRIP_MS = 50
/** At a third of a second per address, more would only take longer. */
const ONE_BY_ONE = 2_000

export type Far = { oursPerSecond: number; peersPerSecond: number }

/** A list with network latency: the product, and one connection per address with the same concurrency. */
export async function measureFar(population: Population, workers: number, signal: AbortSignal): Promise<Far> {
  await using cleanUp = new AsyncDisposableStack()
  const { size, addresses, others } = population
  const place = await startSimulationHere(size, signal)
  cleanUp.defer(() => place.stop())
  const smtpPort = await startRelays({ size, smtpPort: place.smtpPort }, cleanUp)
  const product = await startJobInstance({ dnsPort: place.dnsPort, smtpPort, workers }, cleanUp)
  await product.validate([writeCsv(others)])
  const { seconds } = await product.validate([writeCsv(addresses)])
  const few = addresses.slice(0, ONE_BY_ONE)
  const peersSeconds = await askAsPeers(few, size, smtpPort)
  return { oursPerSecond: addresses.length / seconds, peersPerSecond: few.length / peersSeconds }
}

/** Relays on the same IP addresses as the servers behind them, on another port. */
export async function startRelays(
  simulation: Pick<RelaysTask, 'size' | 'smtpPort'>,
  cleanUp: AsyncDisposableStack,
): Promise<number> {
  const port = await freePort()
  const task: RelaysTask = { ...simulation, addressBase: ADDRESS_BASE, port, delayMs: ROUND_TRIP_MS }
  const child = spawn(process.execPath, [join(import.meta.dirname, 'relay-process.ts'), JSON.stringify(task)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  cleanUp.defer(() => stopChild(child, 'SIGTERM'))
  await once(child, 'message', { signal: AbortSignal.timeout(30_000) })
  return port
}

/** Seconds until the last reply, with the product's connection limit per provider. */
async function askAsPeers(addresses: SimulatedAddress[], size: SimulationSize, port: number): Promise<number> {
  const hostOf = openHosts(size)
  const asked = addresses.map((address) => ({ ...address, ...hostOf(domainOf(address.email).toLowerCase()) }))
  const began = performance.now()
  await Promise.all(
    [...Map.groupBy(asked, ({ site }) => site).values()].map(async (some) => {
      const waiting = some.values()
      const askers = Array.from({ length: SIMULATED_LIMITS[''].connectionsPerEgress }, async () => {
        for (const { email, exists, host } of waiting) {
          const [isAccepted] = await probeOneByOne([email], { host, port })
          if (isAccepted !== (exists === 'yes')) throw new Error('a wrong answer, one by one')
        }
      })
      await Promise.all(askers)
    }),
  )
  return (performance.now() - began) / 1_000
}
