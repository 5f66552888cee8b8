import { setTimeout as sleep } from 'node:timers/promises'
import { openDomainLists } from '../../domain/domain-lists.ts'
import { createDomainLookup, openMemoryStore } from '../../domain/facts.ts'
import { openResolver } from '../../domain/resolver.ts'
import { validate } from '../../validate.ts'
import { createLocalRateLimiter } from '../connections/local-rate-limiter.ts'
import { DEFAULT_TIMEOUTS } from '../connections/open-connection.ts'
import { createProbeCache } from '../connections/probe-cache.ts'
import { PROVIDER_LIMITS } from '../providers/data/limits.ts'
import { createMailboxProber } from './prober.ts'

/** Measurements of a process that probes many hostile servers at once. It is a separate process, so that nothing else counts. */
export type LoadReport = {
  verdicts: [name: string, subStatus: string][]
  deadlineMs: number
  slowestMs: number
  grownBytes: number
}

type Given = { dnsPort: number; port: number; names: string[]; sessions: number }

const DEADLINE_MS = 8_000
const SAMPLE_MS = 10

const given = JSON.parse(process.argv[2] ?? '{}') as Given
const lists = openDomainLists()

/** A session with every behavior. Each call has its own prober, because one prober would probe a domain once for all calls. */
async function probeAll(names: string[]): Promise<{ verdicts: LoadReport['verdicts']; slowestMs: number }> {
  const dns = openResolver({ servers: [`127.0.0.1:${given.dnsPort}`], timeoutMs: 4_000 })
  const desk = createMailboxProber({
    dns,
    policy: { port: given.port, allows: (address) => address.startsWith('127.') },
    egress: { name: 'probe', heloName: 'probe.probity.example', mailFrom: 'bounce@probity.example' },
    providerLimits: { ...PROVIDER_LIMITS, '': { ...PROVIDER_LIMITS[''], connectionsPerMinute: 6_000 } },
    rateLimiter: createLocalRateLimiter(),
    probeCache: createProbeCache(openMemoryStore()),
    timeouts: { ...DEFAULT_TIMEOUTS, greetingMs: 3_000, commandMs: 3_000, quitMs: 500 },
  })
  const domains = createDomainLookup({ dns, limits: { deadlineMs: 15_000 } })
  const network = { domains, lists, prober: desk }
  await Promise.all(names.map((name) => domains.lookUp(`${name}.hostile.example`)))
  const began = performance.now()
  let slowestMs = 0
  const verdicts = names.map(async (name): Promise<[string, string]> => {
    const email = `someone@${name}.hostile.example`
    const { verdict } = await validate(email, network, { deadline: began + DEADLINE_MS })
    slowestMs = Math.max(slowestMs, performance.now() - began)
    return [name, verdict.subStatus]
  })
  const found = await Promise.all(verdicts)
  await desk.close()
  return { verdicts: found, slowestMs }
}

/** The highest memory use during some work, above that before it. */
async function measureGrowth<T>(work: () => Promise<T>): Promise<[T, grownBytes: number]> {
  globalThis.gc?.()
  const before = process.memoryUsage.rss()
  let most = before
  let isOver = false
  const watch = async () => {
    while (!isOver) {
      most = Math.max(most, process.memoryUsage.rss())
      await sleep(SAMPLE_MS)
    }
  }
  const watching = watch()
  const result = await work()
  isOver = true
  await watching
  return [result, most - before]
}

// One run before the measurement, so that loading and compiling do not count as growth.
await probeAll(given.names)
const desks = Math.ceil(given.sessions / given.names.length)
const [met, grownBytes] = await measureGrowth(() =>
  Promise.all(Array.from({ length: desks }, () => probeAll(given.names))),
)
const report: LoadReport = {
  verdicts: met.flatMap(({ verdicts }) => verdicts),
  deadlineMs: DEADLINE_MS,
  slowestMs: Math.max(...met.map(({ slowestMs }) => slowestMs)),
  grownBytes,
}
process.stdout.write(JSON.stringify(report))
