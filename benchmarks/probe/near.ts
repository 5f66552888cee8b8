import { readCpu } from '../environment/cpu.ts'
import { printTable, rounded } from '../report/print-table.ts'
import { LARGE_DOMAIN, listKnown } from './addresses.ts'
import { probeBare } from './bare-sessions.ts'
import type { BenchPostfix } from './postfix.ts'
import { probeLists } from './prober.ts'

const ROUNDS = 15
/** A worker runs for days; this much warms up the JIT compiler. */
const WARM_UP_ROUNDS = 6
/** Half of them, at about a second each, for runs of at most 40 s. */
const PRODUCT_ONLY_ROUNDS = 8
const LIST_SIZE = 2_000

/** Addresses per second with the CPU time per address of both sides. */
type Near = { perSecond: number; clientUs: number; postfixUs: number }

/** Probing without network latency, where CPU time dominates. The two methods alternate; the figures are medians. */
export async function measureNear(postfix: BenchPostfix) {
  const list = listKnown(LARGE_DOMAIN, { size: LIST_SIZE, badShare: 0, seed: 1 })
  const emails = list.map(({ email }) => email)
  const askOurs = () => probeLists([list], postfix.place, { connectionsPerEgress: 1 })
  const rounds: { bare: Near; ours: Near }[] = []
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round += 1) {
    const bare = await fromNear(postfix, () => probeBare(emails, postfix.place))
    const ours = await fromNear(postfix, askOurs)
    if (round >= WARM_UP_ROUNDS) rounds.push({ bare, ours })
  }
  return summarise(
    rounds.map(({ bare }) => bare),
    rounds.map(({ ours }) => ours),
  )
}

/** Only the product's method. */
export async function measureProductNear(postfix: BenchPostfix) {
  const list = listKnown(LARGE_DOMAIN, { size: LIST_SIZE, badShare: 0, seed: 1 })
  const rounds: Near[] = []
  for (let round = 0; round < WARM_UP_ROUNDS + PRODUCT_ONLY_ROUNDS; round += 1) {
    const ours = await fromNear(postfix, () => probeLists([list], postfix.place, { connectionsPerEgress: 1 }))
    if (round >= WARM_UP_ROUNDS) rounds.push(ours)
  }
  return summarizeOurs(mediansOf(rounds))
}

async function fromNear({ pid }: BenchPostfix, ask: () => Promise<void>): Promise<Near> {
  const readPostfixMs = () => readCpu({ postfix: pid })['postfix'] ?? 0
  const before = { at: performance.now(), client: process.cpuUsage(), postfixMs: readPostfixMs() }
  await ask()
  const ms = performance.now() - before.at
  const { user, system } = process.cpuUsage(before.client)
  return {
    perSecond: (LIST_SIZE * 1_000) / ms,
    clientUs: (user + system) / LIST_SIZE,
    postfixUs: ((readPostfixMs() - before.postfixMs) * 1_000) / LIST_SIZE,
  }
}

function mediansOf(rounds: Near[]): Near {
  const median = (pick: (round: Near) => number) =>
    Math.round(rounds.map(pick).toSorted((a, b) => a - b)[Math.floor(rounds.length / 2)] ?? 0)
  return {
    perSecond: median(({ perSecond }) => perSecond),
    clientUs: median(({ clientUs }) => clientUs),
    postfixUs: median(({ postfixUs }) => postfixUs),
  }
}

function summarise(bareRounds: Near[], oursRounds: Near[]) {
  const [bare, ours] = [mediansOf(bareRounds), mediansOf(oursRounds)]
  const best = (rounds: Near[]) => Math.max(...rounds.map(({ perSecond }) => perSecond))
  printTable('0 ms away, no bad address', [
    ['', 'addresses/s', 'at best', 'client µs/address', 'Postfix µs/address'],
    ['bare, ten in flight', bare.perSecond, Math.round(best(bareRounds)), bare.clientUs, bare.postfixUs],
    ['ours', ours.perSecond, Math.round(best(oursRounds)), ours.clientUs, ours.postfixUs],
  ])
  return {
    ratio_to_bare: rounded(ours.perSecond / bare.perSecond),
    // From the fastest round of each, which is least affected by other load.
    ratio_to_bare_at_best: rounded(best(oursRounds) / best(bareRounds)),
    bare_per_second: bare.perSecond,
    bare_cpu_us: { client: bare.clientUs, postfix: bare.postfixUs },
    ...summarizeOurs(ours),
  }
}

function summarizeOurs({ perSecond, clientUs, postfixUs }: Near) {
  return {
    ours_per_second: perSecond,
    ours_cpu_us: { client: clientUs, postfix: postfixUs },
    // The product's own share alone: Postfix takes most of the total.
    ours_client_cpu_us: clientUs,
  }
}
