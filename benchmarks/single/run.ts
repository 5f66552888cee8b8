import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { freePort, makeFolder, removeFolder, stopChild } from '@probity/lab/services/daemon'
import { cpuPerRequest, readCpu } from '../environment/cpu.ts'
import { type BenchInstance, MEMORY_CEILING, startBenchInstance, untilReady } from '../environment/instance.ts'
import { describeProfiles } from '../environment/profile.ts'
import type { BenchMode } from '../report/product-only.ts'
import { type Figures, runWrk } from './wrk.ts'

const CONNECTIONS = 50
const WHOLE = { rounds: 3, seconds: 8 }
/** For runs of at most 40 s. */
const PRODUCT_ONLY = { rounds: 6, seconds: 2 }
const WARM_UP_S = { whole: 8, productOnly: 4 }
/**
 * Until the JIT has compiled the code for recent results, the rate rises by half. The best of three rounds of 8 s is
 * later in any case.
 */
const RECENT_WARM_UP_S = 4
const PROFILE_S = 15
const RECENT_EMAIL = 'ada@null-mx.example'
const PATH = '/api/v1/validation/single'

/**
 * The throughput of single validations: from the account's recent result, and through row, queue and worker with cached
 * domain facts. The same run measures two bare servers with a response of the same size: Fastify with one call to
 * Redis, and the same with a durable charge in groups. Best of three. `--profile` then prints the CPU profiles of the
 * API and the worker.
 */
export async function benchSingle(args: string[], { isProductOnly }: BenchMode): Promise<object> {
  const { values } = parseArgs({ args, options: { profile: { type: 'boolean', default: false } } })
  const figures = await measureRates(isProductOnly)
  if (values.profile) {
    for (const kind of ['recent', 'queued'] as const) await showProfile(kind)
  }
  return figures
}

async function measureRates(isProductOnly: boolean): Promise<object> {
  const folder = makeFolder('probity-bench')
  const product = await startBenchInstance()
  try {
    const size = await warmUp(product)
    const lengths = isProductOnly ? PRODUCT_ONLY : WHOLE
    const measure = (url: string, script: string, seconds = lengths.seconds): Measured => {
      const before = readCpu(product.pids)
      const figures = runWrk({ url: url + PATH, script, connections: CONNECTIONS, seconds, folder })
      const cpuUs = cpuPerRequest(before, readCpu(product.pids), figures.rps * seconds)
      return { ...figures, cpuUs }
    }
    const same = fixedEmail(product.key)

    const bare = isProductOnly ? undefined : await startBare(product, size)
    const durable = isProductOnly ? undefined : await startBare(product, size, { isDurable: true })
    measure(product.url, freshEmails(product.key, lengths.rounds), WARM_UP_S[isProductOnly ? 'productOnly' : 'whole']) // a first round that does not count, for caches and statistics
    if (isProductOnly) measure(product.url, same, RECENT_WARM_UP_S)
    await product.analyze()
    const rounds: Round[] = Array.from({ length: lengths.rounds }, (_, n) => ({
      ...(bare && { bare: measure(bare.url, same) }),
      ...(durable && { durable: measure(durable.url, same) }),
      recent: measure(product.url, same),
      queued: measure(product.url, freshEmails(product.key, n)),
    }))
    await bare?.stop()
    await durable?.stop()
    return summarise(rounds, isProductOnly ? meanOf : bestOf)
  } finally {
    await product.stop()
    removeFolder(folder)
  }
}

/** With the CPU time per request of each part of the product, which limits the figures. */
type Measured = Figures & { cpuUs: Record<string, number> }
type Round = { bare?: Measured; durable?: Measured; recent: Measured; queued: Measured }

/** The best round, which is least affected by other load. */
function bestOf(measured: Measured[]): Measured {
  return measured.toSorted((a, b) => b.rps - a.rps)[0] as Measured
}

/**
 * For comparisons: on a shared machine the speed changes by a third from second to second, and the mean of all rounds differs less between
 * runs than their best. Processor time is weighted by the requests of its round.
 */
function meanOf(measured: Measured[]): Measured {
  const sum = (pick: (one: Measured) => number) => measured.reduce((total, one) => total + pick(one), 0)
  const requests = sum(({ rps }) => rps)
  const parts = Object.keys(measured[0]?.cpuUs ?? {})
  return {
    rps: requests / measured.length,
    p99Ms: Math.round((100 * sum(({ p99Ms }) => p99Ms)) / measured.length) / 100,
    errors: sum(({ errors }) => errors),
    cpuUs: Object.fromEntries(
      parts.map((part) => [part, Math.round(sum(({ rps, cpuUs }) => rps * (cpuUs[part] ?? 0)) / requests)]),
    ),
  }
}

function summarise(rounds: Round[], summaryOf: typeof bestOf) {
  const summaryIf = (measured: Measured[]) => (measured.length > 0 ? summaryOf(measured) : undefined)
  const bare = summaryIf(rounds.flatMap((one) => one.bare ?? []))
  const durable = summaryIf(rounds.flatMap((one) => one.durable ?? []))
  const [recent, queued] = [summaryOf(rounds.map((one) => one.recent)), summaryOf(rounds.map((one) => one.queued))]
  const ratio = (a: Figures, b: Figures) => Math.round((a.rps / b.rps) * 1000) / 1000
  return {
    ...(bare && { bare_rps: Math.round(bare.rps) }),
    ...(durable && { bare_durable_rps: Math.round(durable.rps) }),
    recent_rps: Math.round(recent.rps),
    queued_rps: Math.round(queued.rps),
    ...(bare && { recent_ratio: ratio(recent, bare), queued_ratio: ratio(queued, bare), bare_p99_ms: bare.p99Ms }),
    ...(durable && { recent_ratio_durable: ratio(recent, durable) }),
    recent_p99_ms: recent.p99Ms,
    queued_p99_ms: queued.p99Ms,
    recent_cpu_us: recent.cpuUs,
    queued_cpu_us: queued.cpuUs,
    errors: rounds.flatMap(Object.values).reduce((all: number, { errors }: Figures) => all + errors, 0),
  }
}

/** Creates the recent result and the domain facts, and returns the size of a response. */
async function warmUp({ url, key }: BenchInstance): Promise<number> {
  let text = ''
  for (const email of [RECENT_EMAIL, 'warm@two-mx.example', RECENT_EMAIL]) {
    const answer = await fetch(url + PATH, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ email }),
    })
    text = await answer.text()
    if (answer.status !== 200) throw new Error(`the product answered ${answer.status}`)
  }
  if (!text.includes('"source":"cache"')) throw new Error('the recent result was not used')
  return Buffer.byteLength(text)
}

/** Prints CPU profiles of the API and the worker with requests of one kind only. */
async function showProfile(kind: 'recent' | 'queued'): Promise<void> {
  const folder = makeFolder('probity-bench')
  const product = await startBenchInstance(tmpdir(), {
    NODE_OPTIONS: `${MEMORY_CEILING} --cpu-prof --cpu-prof-dir=${folder}`,
  })
  const script = kind === 'recent' ? fixedEmail(product.key) : freshEmails(product.key, 0)
  try {
    await warmUp(product)
    await product.analyze()
    runWrk({ url: product.url + PATH, script, connections: CONNECTIONS, seconds: PROFILE_S, folder })
  } finally {
    await product.stop()
  }
  for (const part of ['api', 'worker']) {
    const files = readdirSync(folder).filter((name) => name.includes(`.${product.pids[part]}.`))
    const text = describeProfiles(files.map((name) => join(folder, name)))
    process.stderr.write(`\n${kind}, ${part}: ${text}`)
  }
  removeFolder(folder)
}

async function startBare(product: BenchInstance, size: number, { isDurable = false } = {}) {
  const { redisUrl, databaseUrl, start } = product
  const port = await freePort()
  const args = [String(port), redisUrl, String(size), ...(isDurable ? [databaseUrl] : [])]
  const child = start('benchmarks/single/bare-server.ts', args)
  const url = `http://127.0.0.1:${port}`
  await untilReady(url, '/')
  return { url, stop: () => stopChild(child, 'SIGTERM') }
}

const head = (key: string) => `
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["X-API-Key"] = "${key}"`

const fixedEmail = (key: string) => `${head(key)}
wrk.body = '{"email":"${RECENT_EMAIL}"}'`

const freshEmails = (key: string, round: number) => `${head(key)}
local n = 0
request = function()
  n = n + 1
  return wrk.format(nil, nil, nil, '{"email":"caller' .. n .. 'of${round}@two-mx.example"}')
end`
