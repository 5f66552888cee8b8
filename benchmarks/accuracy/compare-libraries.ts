import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { WORLDS, type World, type WorldName } from '@probity/lab/simulation/data/worlds'
import type { MailPopulation, SimulatedAddress, SimulationSize } from '@probity/lab/simulation/population'
import { openRandom } from '@probity/lab/simulation/random'
import { createWorld, joinPopulations, WORLD_NAMES } from '@probity/lab/simulation/worlds'
import { type Place, startSimulationInNamespace } from '../environment/simulation.ts'
import { installPeer, PEERS } from './install-library.ts'
import {
  countFaults,
  describeFaults,
  type Fault,
  type Judged,
  judgeAll,
  writeFaultsByBehaviour,
  writeSideBySide,
  writeTable,
} from './matrix.ts'
import { ownValidator, runValidator, type Validator } from './run-validator.ts'

/** Half of it is of the list, half of the worlds. */
const SAMPLE = 2_000

/** The same limit for all, longer than any delay of a simulated server. */
const LIMITS = { inFlight: 50, withinMs: 60_000 }
const RUN_WITHIN_MS = 90_000

type Figures = Record<Fault, number> & { version: string; seconds: number; connections: number }

/**
 * A resolver that lies does so about all names of a simulation, and the other validators have no clock to set. So such worlds have no part in
 * the sample.
 */
const LEFT_OUT = WORLD_NAMES.filter((name) => {
  const { resolver, timeFactor = 1 }: World = WORLDS[name]
  return resolver !== undefined || timeFactor > 1
})
const COMPARED = WORLD_NAMES.filter((name) => !LEFT_OUT.includes(name))

export type Comparison = { peers_compared: number; peers: Record<string, Figures>; worlds_left_out: WorldName[] }

/** Validates the same addresses with Probity and with each library that can be installed. Nothing without root. */
export async function comparePeers(
  list: MailPopulation,
  size: SimulationSize,
  signal: AbortSignal,
): Promise<Comparison> {
  const worlds = joinPopulations(COMPARED.map(createWorld))
  const simulation = joinPopulations([list, worlds])
  const addresses = [...drawSample(list, SAMPLE / 2), ...drawSample(worlds, SAMPLE / 2)]
  openRandom(list.seed).shuffle(addresses)
  const figures: Record<string, Figures> = {}
  const matrices: Record<string, Judged[]> = {}

  /** Each library has a new simulation, so that none benefits from the greylisting delays of another. */
  const ask = async (name: string, version: string, askerIn: (place: Place) => Validator) => {
    process.stderr.write(`Asking ${name} ${version} for ${addresses.length} of them.\n`)
    const place = await startSimulationInNamespace({ ...size, worlds: COMPARED }, signal)
    const load = { rounds: [addresses], withinMs: RUN_WITHIN_MS }
    const { answers, seconds, connections } = await runValidator(place, askerIn(place), load)
    signal.throwIfAborted()
    const judged = judgeAll(simulation, addresses, answers)
    matrices[name] = judged
    figures[name] = { version, ...countFaults(judged), seconds, connections }
  }

  try {
    await ask('ours', ownVersion(), (place) => ownValidator(place, LIMITS))
  } catch (error) {
    signal.throwIfAborted()
    process.stderr.write(
      `No peers: a network of its own needs root, unshare, nsenter, mount and ip. ${String(error)}\n`,
    )
    return { peers_compared: 0, peers: {}, worlds_left_out: LEFT_OUT }
  }
  for (const peer of PEERS) {
    try {
      const folder = await installPeer(peer, signal)
      await ask(peer.name, peer.version, () => ({ script: peer.script, task: { ...LIMITS, folder } }))
    } catch (error) {
      signal.throwIfAborted()
      process.stderr.write(`${peer.name} is left out. ${String(error)}\n`)
    }
  }
  process.stderr.write(`\nOurs:\n${describeFaults(matrices['ours'] ?? [])}\n`)
  process.stderr.write(`${writeSideBySide(matrices)}\n${writeFaultsByBehaviour(matrices)}\n${writeFigures(figures)}`)
  process.stderr.write(`Worlds left out of the sample: ${LEFT_OUT.join(', ')}.\n`)
  return { peers_compared: Object.keys(figures).length - 1, peers: figures, worlds_left_out: LEFT_OUT }
}

function drawSample({ addresses, seed }: MailPopulation, count: number): SimulatedAddress[] {
  const drawn = [...addresses]
  openRandom(seed).shuffle(drawn)
  return drawn.slice(0, count)
}

function ownVersion(): string {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../..', 'package.json'), 'utf8')).version
}

function writeFigures(figures: Record<string, Figures>): string {
  const rows = Object.entries(figures).map(([name, row]) => [name, ...Object.values(row).map(String)])
  const [first = {}] = Object.values(figures)
  return writeTable([['asked', ...Object.keys(first)], ...rows])
}
