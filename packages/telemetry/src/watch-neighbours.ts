import { Gauge, type Registry } from 'prom-client'
import { keepFresh } from './keep-fresh.ts'

/** How old an answer may be. */
const FRESH_FOR_MS = 5_000

/** Whether PostgreSQL and Redis answer this process, and how long they take. Each is asked by itself. */
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
    name: `probity_${name}_answer_seconds`,
    help: `How long ${title} took to answer this process.`,
    registers,
  })
  const up: Gauge = new Gauge({
    name: `probity_${name}_up`,
    help: `Whether ${title} answers this process: 1 where it does.`,
    registers,
    async collect() {
      const seconds = await look().catch(() => undefined) // that it does not is what is told
      up.set(seconds === undefined ? 0 : 1)
      if (seconds === undefined) took.remove()
      else took.set(seconds)
    },
  })
}
