import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MailPopulation, SimulatedAddress, SimulationSize } from '@probity/lab/simulation/population'
import { openRandom } from '@probity/lab/simulation/random'
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

const SAMPLE = 2_000

/** The same limit for all, longer than any delay of a simulated server. */
const LIMITS = { inFlight: 50, withinMs: 60_000 }
const RUN_WITHIN_MS = 5 * 60_000

type Figures = Record<Fault, number> & { version: string; seconds: number; connections: number }

/** Validates the same addresses with Probity and with each library that can be installed. Empty without root. */
export async function comparePeers(
  simulation: MailPopulation,
  size: SimulationSize,
  signal: AbortSignal,
): Promise<Record<string, Figures>> {
  const addresses = drawSample(simulation)
  const figures: Record<string, Figures> = {}
  const matrices: Record<string, Judged[]> = {}

  /** Each library has a new simulation, so that none benefits from the greylisting delays of another. */
  const ask = async (name: string, version: string, askerIn: (place: Place) => Validator) => {
    process.stderr.write(`Asking ${name} ${version} for ${addresses.length} of them.\n`)
    const place = await startSimulationInNamespace(size, signal)
    const { answers, seconds, connections } = await runValidator(place, askerIn(place), addresses, RUN_WITHIN_MS)
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
    return {}
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
  return figures
}

function drawSample({ addresses, seed }: MailPopulation): SimulatedAddress[] {
  const drawn = [...addresses]
  openRandom(seed).shuffle(drawn)
  return drawn.slice(0, SAMPLE)
}

function ownVersion(): string {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../..', 'package.json'), 'utf8')).version
}

function writeFigures(figures: Record<string, Figures>): string {
  const rows = Object.entries(figures).map(([name, row]) => [name, ...Object.values(row).map(String)])
  const [first = {}] = Object.values(figures)
  return writeTable([['asked', ...Object.keys(first)], ...rows])
}
