import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { World, WorldAddress, WorldSize } from '@probity/lab/simulation/population'
import { openRandom } from '@probity/lab/simulation/random'
import { openPlaceApart, type Place } from '../environment/simulation.ts'
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
import { type Asker, askIn, ourselves } from './run-validator.ts'

const SAMPLE = 2_000

/** The same for everybody, and longer than any server of the world keeps somebody waiting. */
const LIMITS = { inFlight: 50, withinMs: 60_000 }
const RUN_WITHIN_MS = 5 * 60_000

type Figures = Record<Fault, number> & { version: string; seconds: number; connections: number }

/** Puts the same addresses of the world to us and to each peer that can be had. Empty where there is no place for that. */
export async function comparePeers(
  world: World,
  size: WorldSize,
  signal: AbortSignal,
): Promise<Record<string, Figures>> {
  const addresses = drawSample(world)
  const figures: Record<string, Figures> = {}
  const matrices: Record<string, Judged[]> = {}

  /** Each has a world that nobody asked before, so that nobody gains by another's waiting in a greylist. */
  const ask = async (name: string, version: string, askerIn: (place: Place) => Asker) => {
    process.stderr.write(`Asking ${name} ${version} for ${addresses.length} of them.\n`)
    const place = await openPlaceApart(size, signal)
    const { answers, seconds, connections } = await askIn(place, askerIn(place), addresses, RUN_WITHIN_MS)
    signal.throwIfAborted()
    const judged = judgeAll(world, addresses, answers)
    matrices[name] = judged
    figures[name] = { version, ...countFaults(judged), seconds, connections }
  }

  try {
    await ask('ours', ownVersion(), (place) => ourselves(place, LIMITS))
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

function drawSample({ addresses, seed }: World): WorldAddress[] {
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
