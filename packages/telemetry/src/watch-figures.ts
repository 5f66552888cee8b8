import { Gauge, type Registry } from 'prom-client'

/** One value of a gauge and its labels. */
export type Figure = { of?: Record<string, string>; value: number }

export type FigureGauge<T> = { name: string; help: string; labels?: readonly string[]; read: (seen: T) => Figure[] }

/** Gauges of one snapshot. If the snapshot fails they have no samples: stale values would look current. */
export function watchFigures<T>(registry: Registry, look: () => Promise<T>, gauges: FigureGauge<T>[]): void {
  for (const { name, help, labels = [], read } of gauges) {
    const gauge: Gauge<string> = new Gauge({
      name,
      help,
      labelNames: labels,
      registers: [registry],
      async collect() {
        const seen = await look().catch(() => undefined) // availability has its own gauge
        gauge.reset()
        if (labels.length === 0) gauge.remove() // otherwise it would be 0
        if (seen === undefined) return
        for (const { of = {}, value } of read(seen)) gauge.set(of, value)
      },
    })
  }
}
