import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { cpuPerRequest, readCpu } from '../environment/cpu.ts'
import { type BenchInstance, startBenchInstance } from '../environment/instance.ts'
import { isAccepted, type Load, openLoad, waitOf } from '../environment/load.ts'
import type { Answered, LoadKind } from '../environment/load-process.ts'
import { printTable, rounded } from '../report/print-table.ts'
import type { BenchMode } from '../report/product-only.ts'

const FIRST_RATE = 100
const GROWTH = 1.2
const STEPS_MAX = 20
const STEP_S = 6
/** A step with fewer accepted requests, or with a higher latency, is over the limit. */
const ANSWERED_SHARE_MIN = 0.85
const P99_MS_MAX = 1_000
const AFTER_S = 20
/** The share of the peak rate that is sent after the overload. */
const AFTER_SHARE_MAX = 0.5
/**
 * Twice the peak rate of two cores, without the ramp: a peak measured in each run would give the runs different loads.
 */
const PRODUCT_ONLY_RATE = 2_400
const PRODUCT_ONLY_SECONDS = '10'
/** Time for the concurrency limit to adapt to that load; the full benchmark has its ramp for this. */
const ADAPTATION_S = 5

/**
 * Overload: a ramp finds the highest rate that is served (the peak), then twice that rate is sent for a minute, and then half of it, or the
 * highest rate without rejections if that is lower. Requests come at a fixed rate. The mix of requests is in load-process.ts.
 */
export async function benchOverload(args: string[], { isProductOnly }: BenchMode): Promise<object> {
  const defaultSeconds = isProductOnly ? PRODUCT_ONLY_SECONDS : '60'
  const { values } = parseArgs({ args, options: { seconds: { type: 'string', default: defaultSeconds } } })
  await using cleanUp = new AsyncDisposableStack()
  const product = await startBenchInstance()
  cleanUp.defer(() => product.stop())
  const load = openLoad(product, cleanUp)

  await load(FIRST_RATE, STEP_S) // does not count: it fills caches and compiles code
  await product.analyze()
  if (isProductOnly) {
    await load(PRODUCT_ONLY_RATE, ADAPTATION_S)
    const overloaded = sumUp(await load(PRODUCT_ONLY_RATE, Number(values.seconds)))
    return summarizeHeld(overloaded, product)
  }
  const peak = await findPeak(load)
  const pids = { ...product.pids, all: process.pid }
  const before = readCpu(pids)
  const came = await load(2 * peak.goodput, Number(values.seconds))
  const cpu = cpuPerRequest(before, readCpu(pids), came.length)
  const held = sumUp(came)
  process.stderr.write(`CPU µs per request; all includes the clients: ${JSON.stringify(cpu)}\n`)
  process.stderr.write(`p99 in ms by kind: ${JSON.stringify(held.p99ByKind)}\n`)
  const after = await load(Math.min(AFTER_SHARE_MAX * peak.goodput, peak.allServed), AFTER_S)
  printTable('Requests', [
    ['', 'offered/s', 'answered/s', 'p50 ms', 'p99 ms', 'rejected', 'broken'],
    ...[...peak.steps, held, sumUp(after)].map((step, n) => [
      n < peak.steps.length ? 'ramp' : n === peak.steps.length ? 'twice' : 'after',
      ...[step.offered, step.goodput, step.p50, step.p99, step.refused, step.broken].map((figure) =>
        String(Math.round(figure)),
      ),
    ]),
  ])
  return {
    peak_rps: rounded(peak.goodput),
    goodput_ratio: rounded(held.goodput / peak.goodput),
    ...summarizeHeld(held, product),
    recovery_s: recoverySeconds(after),
  }
}

/** The figures under twice the peak load. */
function summarizeHeld(held: Sum, { pids }: BenchInstance) {
  return {
    held_rps: rounded(held.goodput),
    p99_ms_accepted: rounded(held.p99),
    refused_share: held.refusedShare,
    refusals_without_retry_after: held.withoutRetryAfter,
    broken: held.broken,
    other_refusals: held.otherRefusals,
    rss_mb_max: memoryMax(pids),
  }
}

/**
 * Raises the rate step by step until responses are late or missing twice in a row: once may be caused by another
 * process. The peak is the best rate of accepted requests before that; `allServed` is the rate of the last step without
 * rejections.
 */
async function findPeak(load: Load) {
  const steps: Sum[] = []
  let goodput = 0
  let allServed = FIRST_RATE
  let isDoubted = false
  for (let rate = FIRST_RATE; steps.length < STEPS_MAX; ) {
    const step = sumUp(await load(rate, STEP_S))
    steps.push(step)
    process.stderr.write(
      `${Math.round(rate)}/s: ${Math.round(step.goodput)}/s answered, p99 ${Math.round(step.p99)} ms\n`,
    )
    const isTooMuch = step.goodput < ANSWERED_SHARE_MIN * rate || step.p99 > P99_MS_MAX
    if (isTooMuch && isDoubted) break
    isDoubted = isTooMuch
    if (isTooMuch) continue
    goodput = Math.max(goodput, step.goodput)
    if (step.refused + step.broken === 0) allServed = rate
    rate *= GROWTH
  }
  if (goodput === 0)
    throw new Error(`not even ${FIRST_RATE} requests per second were served in time: this machine is too busy`)
  return { steps, goodput, allServed }
}

type Sum = ReturnType<typeof sumUp>

/** Responses in time count; a rejection has Retry-After, or it is an error. */
function sumUp(answered: Answered[]) {
  const seconds = answered.reduce((last, { due }) => Math.max(last, due), 0) / 1_000 // too many to spread
  const accepted = answered.filter(isAccepted)
  const refused = answered.filter(({ status }) => status === 429 || status === 503)
  const broken = answered.filter(({ status }) => status === 0).length
  const shareOf = (kind: LoadKind) =>
    rounded(
      refused.filter((one) => one.kind === kind).length /
        Math.max(1, answered.filter((one) => one.kind === kind).length),
    )
  return {
    offered: answered.length / seconds,
    goodput: accepted.length / seconds,
    p50: waitOf(0.5, answered),
    p99: waitOf(0.99, answered),
    p99ByKind: byKind((kind) =>
      rounded(
        waitOf(
          0.99,
          answered.filter((one) => one.kind === kind),
        ),
      ),
    ),
    refused: refused.length,
    refusedShare: byKind(shareOf),
    withoutRetryAfter: refused.filter((one) => !one.hasRetryAfter).length,
    otherRefusals: answered.length - accepted.length - refused.length - broken,
    broken,
  }
}

function byKind<Figure>(figureOf: (kind: LoadKind) => Figure): Record<LoadKind, Figure> {
  return { list: figureOf('list'), single: figureOf('single'), recent: figureOf('recent'), read: figureOf('read') }
}

/** The first second after which no request was rejected or slow. */
function recoverySeconds(after: Answered[]): number {
  const bad = after.filter((one) => !isAccepted(one) || one.ms > P99_MS_MAX)
  return rounded(bad.reduce((last, { due }) => Math.max(last, due), 0) / 1_000)
}

/** The peak resident memory of the API or the worker, as Linux counts it. */
function memoryMax({ api = 0, worker = 0 }: Record<string, number>): number {
  const peaks = [api, worker].map((pid) => readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmHWM:\s+(\d+)/)?.[1])
  return Math.round(Math.max(...peaks.map(Number)) / 1_024)
}
