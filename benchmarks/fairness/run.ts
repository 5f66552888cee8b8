import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { SimulatedAddress } from '@probity/lab/simulation/population'
import { type JobClient, openAccount, startJobInstance, uploadList, validateUploaded } from '../environment/jobs.ts'
import { drawPopulation, writeCsv } from '../environment/population.ts'
import { startSimulationHere } from '../environment/simulation.ts'
import { startRelays } from '../list/distant.ts'
import { printTable, rounded } from '../report/print-table.ts'
import type { BenchMode } from '../report/product-only.ts'
import { type Backlog, createBacklog } from './backlog.ts'

const SMALL_LIST = 100
/** As many queued addresses as a round of 40 single requests needs, and one round, because each takes 20 s. */
const PRODUCT_ONLY = { rows: '20000', jobs: '2', singles: '40', rounds: 1 }
const WHOLE = { rows: '100000', jobs: '10', singles: '100', rounds: 3 }
/**
 * Requests are sent at this rate, independent of responses, so that a slow response does not delay the next request.
 */
const SINGLE_EVERY_MS = 100

type Phase = { listSeconds: number; singleMs: number[]; backlogPerSecond: number }

/**
 * The effect of another account with a million queued addresses on a job of a hundred addresses and on single requests.
 * The mail servers are a round trip away. The phases alternate, so that other load on the machine affects both equally.
 */
export async function benchFairness(args: string[], { isProductOnly }: BenchMode): Promise<object> {
  const defaults = isProductOnly ? PRODUCT_ONLY : WHOLE
  const { values } = parseArgs({
    args,
    options: {
      rows: { type: 'string', default: defaults.rows },
      jobs: { type: 'string', default: defaults.jobs },
      singles: { type: 'string', default: defaults.singles },
      workers: { type: 'string', default: '2' },
    },
  })
  const [rows, jobs, singles, workers] = [values.rows, values.jobs, values.singles, values.workers].map(Number) as [
    number,
    number,
    number,
    number,
  ]
  const stop = new AbortController()
  const interrupt = () => stop.abort()
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt)
  await using cleanUp = new AsyncDisposableStack()
  cleanUp.defer(() => void process.off('SIGINT', interrupt).off('SIGTERM', interrupt))

  const others = (2 * defaults.rounds + 1) * (SMALL_LIST + singles)
  const { size, addresses } = drawPopulation(rows + others, { onlyExisting: false })
  const place = await startSimulationHere(size, stop.signal)
  cleanUp.defer(() => place.stop())
  const smtpPort = await startRelays({ size, smtpPort: place.smtpPort }, cleanUp)
  const product = await startJobInstance({ dnsPort: place.dnsPort, smtpPort, workers }, cleanUp)
  const backlog = await createBacklog(product, { csv: writeCsv(addresses.slice(0, rows)), jobs }, cleanUp)
  const { key } = await openAccount(product.databaseUrl, ['jobs:write', 'validations:write'])
  const measure = openMeasure({ url: product.url, key }, { backlog, singles, waiting: addresses.slice(rows).values() })

  await measure() // a first round that does not count, for caches and connections
  const idle: Phase[] = []
  const beside: Phase[] = []
  for (let round = 0; round < defaults.rounds && !stop.signal.aborted; round += 1) {
    idle.push(await measure())
    await backlog.begin()
    beside.push(await measure())
    await backlog.rest()
  }
  return summarise(idle, beside, { crowd_rows: rows * jobs, workers })
}

type Task = { backlog: Backlog; singles: number; waiting: Iterator<SimulatedAddress> }

/** Each address is used once, so that no phase benefits from cached results. */
function openMeasure(client: JobClient, { backlog, singles, waiting }: Task): () => Promise<Phase> {
  const draw = (count: number) => Array.from({ length: count }, () => waiting.next().value as SimulatedAddress)
  return async () => {
    const uploaded = await uploadList(client, writeCsv(draw(SMALL_LIST)))
    const [began, before] = [performance.now(), await backlog.done()]
    const { seconds: listSeconds } = await validateUploaded(client, uploaded)
    const singleMs = await validateSingly(client, draw(singles))
    const backlogPerSecond = ((await backlog.done()) - before) / ((performance.now() - began) / 1_000)
    process.stderr.write(
      `${SMALL_LIST} rows in ${listSeconds.toFixed(2)} s, single p95 ${Math.round(share(0.95, singleMs))} ms, the others ${Math.round(backlogPerSecond)} rows/s\n`,
    )
    return { listSeconds, singleMs, backlogPerSecond }
  }
}

async function validateSingly({ url, key }: JobClient, addresses: SimulatedAddress[]): Promise<number[]> {
  const asked: Promise<number>[] = []
  for (const { email } of addresses) {
    asked.push(askOne(`${url}/api/v1/validation/single`, key, email))
    await sleep(SINGLE_EVERY_MS)
  }
  return Promise.all(asked)
}

async function askOne(url: string, key: string, email: string): Promise<number> {
  const began = performance.now()
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ email, timeout: 30 }),
  })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`the product answered ${answer.status}: ${text.slice(0, 500)}`)
  return performance.now() - began
}

function summarise(idle: Phase[], beside: Phase[], about: { crowd_rows: number; workers: number }) {
  const [alone, loaded] = [figuresOf(idle), figuresOf(beside)]
  printTable(`beside ${about.crowd_rows} waiting`, [
    ['', 'idle', 'loaded'],
    ['100 rows, seconds', alone.listS.toFixed(2), loaded.listS.toFixed(2)],
    ['single, p50 ms', Math.round(alone.p50), Math.round(loaded.p50)],
    ['single, p95 ms', Math.round(alone.p95), Math.round(loaded.p95)],
    ['the others, rows/s', Math.round(alone.backlogPerSecond), Math.round(loaded.backlogPerSecond)],
  ])
  return {
    ratio: rounded(loaded.listS / alone.listS),
    single_p95_ratio: rounded(loaded.p95 / alone.p95),
    list_solo_s: rounded(alone.listS),
    list_beside_s: rounded(loaded.listS),
    ...(idle.length > 1 && {
      list_solo_all_s: idle.map(({ listSeconds }) => rounded(listSeconds)),
      list_beside_all_s: beside.map(({ listSeconds }) => rounded(listSeconds)),
    }),
    single_idle_p50_ms: Math.round(alone.p50),
    single_idle_p95_ms: Math.round(alone.p95),
    single_beside_p50_ms: Math.round(loaded.p50),
    single_beside_p95_ms: Math.round(loaded.p95),
    crowd_rows_per_s: Math.round(loaded.backlogPerSecond),
    ...about,
  }
}

function figuresOf(phases: Phase[]) {
  const singles = phases.flatMap(({ singleMs }) => singleMs)
  return {
    listS: share(
      0.5,
      phases.map(({ listSeconds }) => listSeconds),
    ),
    p50: share(0.5, singles),
    p95: share(0.95, singles),
    backlogPerSecond: share(
      0.5,
      phases.map(({ backlogPerSecond }) => backlogPerSecond),
    ),
  }
}

/** The percentile of the values. */
function share(part: number, figures: number[]): number {
  const sorted = figures.toSorted((a, b) => a - b)
  return sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN
}
