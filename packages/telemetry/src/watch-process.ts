import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client'

/** Metrics of every process: memory, CPU, event-loop lag and version. */
export function watchProcess(
  registry: Registry,
  { kind, version }: { kind: 'api' | 'worker' | 'maintenance'; version: string },
): void {
  collectDefaultMetrics({ register: registry })
  const build = new Gauge({
    name: 'probity_build_info',
    help: 'Always 1. Labels: kind of process, version and Node version.',
    labelNames: ['kind', 'version', 'node'] as const,
    registers: [registry],
  })
  build.set({ kind, version, node: process.version }, 1)
}
