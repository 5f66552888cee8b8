import { createSemaphore } from '@probity/concurrency/scheduling'
import { WORLDS, type World, type WorldName } from '@probity/lab/simulation/data/worlds'
import { createWorld, splitIntoRounds } from '@probity/lab/simulation/worlds'
import { startSimulationHere } from '../environment/simulation.ts'
import { findForeignEvidence } from './foreign-evidence.ts'
import { countFaults, describeFaults, findUnexpected, judgeAll, writeTable } from './matrix.ts'
import { ownValidator, runValidator } from './run-validator.ts'

/** Long enough for two repetitions without a response, and short because most worlds need two seconds. */
const LIMITS = { inFlight: 1_000, withinMs: 60_000 }
const RUN_WITHIN_MS = 120_000
/** Most of a run is waiting. */
const AT_ONCE = 4

/** Shares of all addresses. `rcpt_per_address` counts control recipients. */
export type WorldFigures = {
  addresses: number
  false_invalid: number
  false_valid_truthful: number
  unknown: number
  unknown_max: number
  unexpected: number
  rcpt_per_address: number
  rcpt_per_address_max: number
  connections: number
  foreign_evidence: number
}

/** The results of Probity in each world: a new simulation, and an engine that has learned nothing. */
export async function measureWorlds(
  names: WorldName[],
  signal: AbortSignal,
): Promise<Partial<Record<WorldName, WorldFigures>>> {
  const semaphore = createSemaphore(AT_ONCE)
  const figures = await Promise.all(
    names.map(async (name) => [name, await semaphore(() => measureWorld(name, signal))] as const),
  )
  process.stderr.write(`\n${writeWorlds(figures)}\n`)
  return Object.fromEntries(figures)
}

async function measureWorld(name: WorldName, signal: AbortSignal): Promise<WorldFigures> {
  signal.throwIfAborted()
  const { unknownMax, rcptPerAddressMax, suspendS, timeFactor = 1 }: World = WORLDS[name]
  const population = createWorld(name)
  const { addresses } = population
  const place = await startSimulationHere({ worlds: [name], timeFactor, keepsReplies: true }, signal)
  const validator = ownValidator(place, { ...LIMITS, retriesUnanswered: true, suspendS, timeFactor })
  const load = { rounds: splitIntoRounds(name, population), withinMs: RUN_WITHIN_MS }
  const { answers, connections, recipients } = await runValidator(place, validator, load)
  signal.throwIfAborted()
  const judged = judgeAll(population, addresses, answers)
  const { false_invalid, false_valid_truthful } = countFaults(judged)
  const unexpected = findUnexpected(judged).length
  const foreign = findForeignEvidence(judged, recipients)
  const faults = describeFaults(judged, { foreign_evidence: foreign })
  if (unexpected + foreign.length > 0) process.stderr.write(`\n${name}\n${faults}`)
  return {
    addresses: addresses.length,
    false_invalid,
    false_valid_truthful,
    unknown: round(judged.filter(({ answer }) => answer.verdict === 'unknown').length / addresses.length),
    unknown_max: round(unknownMax),
    unexpected,
    rcpt_per_address: round(recipients.commands / addresses.length),
    rcpt_per_address_max: rcptPerAddressMax,
    connections,
    foreign_evidence: foreign.length,
  }
}

function round(share: number): number {
  return Math.round(share * 1_000) / 1_000
}

/** Unknown results beyond the limits of the worlds. */
export function countExcessUnknown(worlds: Partial<Record<WorldName, WorldFigures>>): number {
  return Object.values(worlds)
    .map(({ addresses, unknown, unknown_max }) => Math.round(Math.max(0, unknown - unknown_max) * addresses))
    .reduce((sum, excess) => sum + excess, 0)
}

function writeWorlds(figures: (readonly [WorldName, WorldFigures])[]): string {
  const columns = Object.keys(figures[0]?.[1] ?? {})
  return writeTable([['world', ...columns], ...figures.map(([name, row]) => [name, ...Object.values(row).map(String)])])
}
