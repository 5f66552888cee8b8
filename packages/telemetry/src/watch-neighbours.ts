import { Gauge, type Registry } from 'prom-client'
import { keepFresh } from './keep-fresh.ts'

/** Maximum age of a reading. */
const FRESH_FOR_MS = 5_000

/** Gauges of PostgreSQL and Redis: up and ping time. The two are checked independently. */
export function watchNeighbours(
  registry: Registry,
  asked: { postgres(): Promise<unknown>; redis(): Promise<unknown> },
): void {
  watch(registry, { name: 'postgres', title: 'PostgreSQL' }, asked.postgres)
  watch(registry, { name: 'redis', title: 'Redis' }, asked.redis)
}

function watch(
  registry: Registry,
  { name, title }: { name: string; title: string },
  ask: () => Promise<unknown>,
): void {
  const look = keepFresh(FRESH_FOR_MS, async () => {
    const began = performance.now()
    await ask()
    return (performance.now() - began) / 1_000
  })
  const registers = [registry]
  const took: Gauge = new Gauge({
    name: `probity_${name}_ping_seconds`,
    help: `Ping time of ${title} from this process.`,
    registers,
  })
  const up: Gauge = new Gauge({
    name: `probity_${name}_up`,
    help: `Whether this process can reach ${title}: 1 or 0.`,
    registers,
    async collect() {
      const seconds = await look().catch(() => undefined) // reported as 0
      up.set(seconds === undefined ? 0 : 1)
      if (seconds === undefined) took.remove()
      else took.set(seconds)
    },
  })
}
