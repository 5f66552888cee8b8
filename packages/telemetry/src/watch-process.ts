import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client'

/** What holds for every process of ours: memory, processor, the lag of its loop, and which version it is. */
export function watchProcess(registry: Registry, { kind, version }: { kind: 'api' | 'worker'; version: string }): void {
  collectDefaultMetrics({ register: registry })
  const build = new Gauge({
    name: 'probity_build_info',
    help: 'Always 1. Which kind of process this is, and its version.',
    labelNames: ['kind', 'version', 'node'] as const,
    registers: [registry],
  })
  build.set({ kind, version, node: process.version }, 1)
}
