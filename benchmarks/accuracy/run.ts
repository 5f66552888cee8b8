import { parseArgs } from 'node:util'
import { WORLDS, type WorldName } from '@probity/lab/simulation/data/worlds'
import { createMailPopulation, type MailPopulation, type SimulationSize } from '@probity/lab/simulation/population'
import { WORLD_NAMES } from '@probity/lab/simulation/worlds'
import { startSimulationHere } from '../environment/simulation.ts'
import { comparePeers } from './compare-libraries.ts'
import { findForeignEvidence } from './foreign-evidence.ts'
import { countFaults, describeFaults, findUnexpected, judgeAll, writeMatrix } from './matrix.ts'
import { ownValidator, runValidator } from './run-validator.ts'
import { countExcessUnknown, measureWorlds, type WorldFigures } from './worlds.ts'

/**
 * Enough concurrency to keep a core busy; and the time limit of an address, including all waiting for the semaphore.
 */
const LIMITS = { inFlight: 1_000, withinMs: 300_000 }
const RUN_WITHIN_MS = 8 * 60_000

type Options = { size: SimulationSize; isCompared: boolean; worlds: WorldName[]; onlyWorlds: boolean }

/**
 * The error rate of verdicts in a simulation with known results and in worlds whose servers mislead, compared with other libraries on a
 * sample of the same addresses. No existing address may be invalid, no missing one valid at a truthful server or in a world, and none
 * unknown when the server reveals its state.
 */
export async function benchAccuracy(args: string[]): Promise<object> {
  const options = readOptions(args)
  const stop = new AbortController()
  const interrupt = () => stop.abort()
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    return await measure(options, stop.signal)
  } catch (error) {
    if (!stop.signal.aborted) throw error
    process.exitCode = 130
    return { interrupted: true } // every failure after the signal is caused by it
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  }
}

async function measure({ size, isCompared, worlds: names, onlyWorlds }: Options, signal: AbortSignal): Promise<object> {
  if (onlyWorlds) return { worlds: await measureWorlds(names, signal) }
  const list = createMailPopulation(size)
  const figures = await measureOurs(list, size, signal)
  const worlds = await measureWorlds(names, signal)
  const peers = isCompared ? await comparePeers(list, size, signal) : {}
  return { ...addWorlds(figures, worlds), ...peers, worlds }
}

function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: 'string', default: '1' },
      domains: { type: 'string', default: '2000' },
      addresses: { type: 'string', default: '100000' },
      peers: { type: 'boolean', default: true },
      world: { type: 'string', multiple: true, default: [] },
    },
    allowNegative: true,
  })
  const size = { seed: Number(values.seed), domains: Number(values.domains), addresses: Number(values.addresses) }
  const onlyWorlds = values.world.length > 0
  const worlds = onlyWorlds ? values.world.flatMap(listWorlds) : WORLD_NAMES
  return { size, isCompared: values.peers, worlds, onlyWorlds }
}

/** The world of this name, or all whose names begin with it. */
function listWorlds(name: string): WorldName[] {
  const found = Object.hasOwn(WORLDS, name)
    ? [name as WorldName]
    : WORLD_NAMES.filter((world) => world.startsWith(`${name}_`))
  if (found.length === 0) throw new Error(`There is no world ${name}. Worlds: ${WORLD_NAMES.join(', ')}.`)
  return found
}

async function measureOurs(simulation: MailPopulation, size: SimulationSize, signal: AbortSignal) {
  const { addresses, domains, seed } = simulation
  process.stderr.write(`Asking for ${addresses.length} addresses at ${domains.length} domains, seed ${seed}.\n\n`)
  const place = await startSimulationHere({ ...size, keepsReplies: true }, signal)
  const load = { rounds: [addresses], withinMs: RUN_WITHIN_MS }
  const asked = await runValidator(place, ownValidator(place, LIMITS), load)
  signal.throwIfAborted()
  const judged = judgeAll(simulation, addresses, asked.answers)
  const foreign = findForeignEvidence(judged, asked.recipients)
  process.stderr.write(`${writeMatrix(judged)}\n${describeFaults(judged, { foreign_evidence: foreign })}`)

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
  const unexpected = findUnexpected(judged).length
  return { ...countFaults(judged), unexpected, foreign_evidence: foreign.length, ...figures }
}

type OwnFigures = Awaited<ReturnType<typeof measureOurs>>

/** The errors of the list and of all worlds. Unknown results count in a world only beyond its limit. */
function addWorlds(figures: OwnFigures, worlds: Partial<Record<WorldName, WorldFigures>>): OwnFigures {
  const all = [figures, ...Object.values(worlds)]
  const sum = (field: 'false_invalid' | 'false_valid_truthful' | 'unexpected' | 'foreign_evidence') =>
    all.reduce((total, row) => total + row[field], 0)
  return {
    ...figures,
    false_invalid: sum('false_invalid'),
    false_valid_truthful: sum('false_valid_truthful'),
    avoidable_unknown: figures.avoidable_unknown + countExcessUnknown(worlds),
    unexpected: sum('unexpected'),
    foreign_evidence: sum('foreign_evidence'),
  }
}
