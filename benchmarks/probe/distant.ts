import type { Place } from '@probity/lab/mail/process'
import { startRelay } from '@probity/lab/relay'
import { printTable, rounded } from '../report/print-table.ts'
import { type Known, LARGE_DOMAIN, listKnown } from './addresses.ts'
import { probeOneByOne } from './bare-sessions.ts'
import type { BenchPostfix } from './postfix.ts'
import { probeLists } from './prober.ts'

const ROUNDS = [1, 2, 3]
const ROUND_TRIP_MS = 50
const LIST_SIZE = 1_000
/** At a third of a second per address, more are not needed. */
const ONE_BY_ONE_SIZE = 20

/** Addresses per second with one connection at a time, until the last result, and the number of connections. */
type Far = { perSecond: number; connections: number }
type Way = (list: Known[], place: Place) => Promise<void>

/**
 * Probing with network latency, where round trips dominate: best of three, each round with another order of addresses.
 */
export async function measureFar({ place }: BenchPostfix) {
  const peers: Far[] = []
  const ours: Far[] = []
  for (const seed of ROUNDS) {
    const few = listKnown(LARGE_DOMAIN, { size: ONE_BY_ONE_SIZE, badShare: 0.05, seed })
    peers.push(await fromAfar(place, few, askAsPeers))
    ours.push(await fromAfar(place, listKnown(LARGE_DOMAIN, { size: LIST_SIZE, badShare: 0.05, seed }), askOurs))
  }
  // These can run in parallel: they mostly wait.
  const lists = ROUNDS.map((seed) => listKnown(LARGE_DOMAIN, { size: LIST_SIZE, badShare: 0.3, seed }))
  const bad30 = await Promise.all(lists.map((list) => fromAfar(place, list, askOurs)))
  return summarise(peers, ours, bad30)
}

/** Only the product's method: one round of each list, in parallel, because both mostly wait. */
export async function measureProductFar({ place }: BenchPostfix) {
  const [ours, bad30] = await Promise.all(
    [0.05, 0.3].map((badShare) =>
      fromAfar(place, listKnown(LARGE_DOMAIN, { size: LIST_SIZE, badShare, seed: 1 }), askOurs),
    ),
  )
  if (ours === undefined || bad30 === undefined) throw new Error('a list was not measured')
  return summarizeOurs([ours], [bad30])
}

async function fromAfar(postfix: Place, list: Known[], ask: Way): Promise<Far> {
  const relay = await startRelay({ host: '127.26.0.2', port: 0, to: postfix, delayMs: ROUND_TRIP_MS })
  try {
    const began = performance.now()
    await ask(list, relay)
    return { perSecond: (list.length * 1_000) / (performance.now() - began), connections: relay.connections() }
  } finally {
    await relay.stop()
  }
}

async function askAsPeers(list: Known[], place: Place): Promise<void> {
  const emails = list.map(({ email }) => email)
  const accepted = await probeOneByOne(emails, place)
  if (list.some(({ exists }, n) => exists !== accepted[n])) throw new Error('a wrong answer, one by one')
}

async function askOurs(list: Known[], place: Place): Promise<void> {
  await probeLists([list], place, { connectionsPerEgress: 1 })
}

const speed = (rounds: Far[]) => Math.max(...rounds.map(({ perSecond }) => perSecond))
// the order that needs the most
const connections = (rounds: Far[]) => Math.max(...rounds.map((round) => round.connections))

function summarise(peers: Far[], ours: Far[], bad30: Far[]) {
  printTable(`${ROUND_TRIP_MS} ms away, one connection at a time`, [
    ['', 'addresses/s', 'connections per 1,000'],
    ['one by one, 5 % bad', speed(peers).toFixed(1), (connections(peers) * LIST_SIZE) / ONE_BY_ONE_SIZE],
    ['ours, 5 % bad', speed(ours).toFixed(1), connections(ours)],
    ['ours, 30 % bad', speed(bad30).toFixed(1), connections(bad30)],
  ])
  return {
    speedup_50ms: rounded(speed(ours) / speed(peers)),
    peers_per_second_50ms: rounded(speed(peers)),
    ...summarizeOurs(ours, bad30),
  }
}

function summarizeOurs(ours: Far[], bad30: Far[]) {
  return {
    connections_per_1000: connections(ours),
    connections_per_1000_bad30: connections(bad30),
    ours_per_second_50ms: rounded(speed(ours)),
    ours_per_second_50ms_bad30: rounded(speed(bad30)),
  }
}
