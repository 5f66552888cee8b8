import { parseArgs } from 'node:util'
import { createMailPopulation, type MailPopulation, type SimulationSize } from '@probity/lab/simulation/population'
import { startSimulationHere } from '../environment/simulation.ts'
import { comparePeers } from './compare-libraries.ts'
import { countFaults, describeFaults, findUnexpected, judgeAll, writeMatrix } from './matrix.ts'
import { ownValidator, runValidator } from './run-validator.ts'

/**
 * Enough concurrency to keep a core busy; and the time limit of an address, including all waiting for the semaphore.
 */
const LIMITS = { inFlight: 1_000, withinMs: 300_000 }
const RUN_WITHIN_MS = 8 * 60_000

/**
 * The error rate of verdicts in a simulation with known results, compared with other libraries on a sample of the same
 * simulation. No existing address may be invalid, no missing one valid at a truthful server, and none unknown when the
 * server reveals its state.
 */
export async function benchAccuracy(args: string[]): Promise<object> {
  const { size, isCompared } = readOptions(args)
  const stop = new AbortController()
  const interrupt = () => stop.abort()
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    const simulation = createMailPopulation(size)
    const figures = await measureOurs(simulation, size, stop.signal)
    const peers = isCompared ? await comparePeers(simulation, size, stop.signal) : {}
    const peersCompared = Object.keys(peers).filter((name) => name !== 'ours').length
    return { ...figures, peers_compared: peersCompared, peers }
  } catch (error) {
    if (!stop.signal.aborted) throw error
    process.exitCode = 130
    return { interrupted: true } // every failure after the signal is caused by it
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  }
}

function readOptions(args: string[]): { size: SimulationSize; isCompared: boolean } {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: 'string', default: '1' },
      domains: { type: 'string', default: '2000' },
      addresses: { type: 'string', default: '100000' },
      peers: { type: 'boolean', default: true },
    },
    allowNegative: true,
  })
  const size = { seed: Number(values.seed), domains: Number(values.domains), addresses: Number(values.addresses) }
  return { size, isCompared: values.peers }
}

async function measureOurs(simulation: MailPopulation, size: SimulationSize, signal: AbortSignal): Promise<object> {
  const { addresses, domains, seed } = simulation
  process.stderr.write(`Asking for ${addresses.length} addresses at ${domains.length} domains, seed ${seed}.\n\n`)
  const place = await startSimulationHere(size, signal)
  const asked = await runValidator(place, ownValidator(place, LIMITS), addresses, RUN_WITHIN_MS)
  signal.throwIfAborted()
  const judged = judgeAll(simulation, addresses, asked.answers)
  process.stderr.write(`${writeMatrix(judged)}\n${describeFaults(judged)}`)

  const { recipients = 0, controls = 0 } = asked.summary
  const { seconds, connections } = asked
  const figures = {
    addresses: judged.length,
    addresses_per_s: Math.round(judged.length / seconds),
    seconds,
    connections,
    recipients_per_connection: Math.round((recipients / connections) * 10) / 10,
    control_recipients: controls,
  }
  process.stderr.write(`${JSON.stringify(figures)}\n\n`)
  return { ...countFaults(judged), unexpected: findUnexpected(judged).length, ...figures }
}
