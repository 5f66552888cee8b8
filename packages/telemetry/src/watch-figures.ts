import { Gauge, type Registry } from 'prom-client'

/** One value of a gauge, and what it is of. */
export type Figure = { of?: Record<string, string>; value: number }

export type FigureGauge<T> = { name: string; help: string; labels?: readonly string[]; read: (seen: T) => Figure[] }

/** Gauges that are read from one look. Where the look failed they say nothing: a figure of before would be taken for one of now. */
export function watchFigures<T>(registry: Registry, look: () => Promise<T>, gauges: FigureGauge<T>[]): void {
  for (const { name, help, labels = [], read } of gauges) {
    const gauge: Gauge<string> = new Gauge({
      name,
      help,
      labelNames: labels,
      registers: [registry],
      async collect() {
        const seen = await look().catch(() => undefined) // whether it can be asked is a gauge of its own
        gauge.reset()
        if (labels.length === 0) gauge.remove() // or it would be 0
        if (seen === undefined) return
        for (const { of = {}, value } of read(seen)) gauge.set(of, value)
      },
    })
  }
}
