import { PROVIDERS } from '@probity/engine/domain/data/providers'
import type { HabitTable } from '@probity/engine/mailbox/habits'
import { type PaceState, readPaceState } from '@probity/queue/pace-state'
import { keepFresh } from '@probity/telemetry/keep-fresh'
import { type FigureGauge, watchFigures } from '@probity/telemetry/watch-figures'
import type { Redis } from 'ioredis'
import type { Registry } from 'prom-client'

/** Scrapes come every fifteen seconds; whoever scrapes more often reads the same again. */
const FRESH_FOR_MS = 5_000

type Place = { provider: string; egress: string; connectionsMax: number; perMinute: number }
type Seen = Place & { state: PaceState }

type Watched = { redis: Redis; prefix: string; egresses: string[]; habits: HabitTable }

/** How the providers that we know stand with us, from each way out of this worker: the same from every worker that has it. */
export function watchPace(registry: Registry, { redis, prefix, egresses, habits }: Watched): void {
  const places = egresses.flatMap((egress) =>
    PROVIDERS.flatMap(({ id: provider }): Place[] => {
      const own = habits[provider]
      const limits = own && { connectionsMax: own.connectionsPerEgress, perMinute: own.connectionsPerMinute }
      return limits ? [{ provider, egress, ...limits }] : []
    }),
  )
  // They go out in one write. Who was not asked for a while has no state, and no figures.
  const look = keepFresh(FRESH_FOR_MS, async () => {
    const states = await Promise.all(
      places.map(({ provider: site, egress }) => readPaceState(redis, prefix, { egress, site })),
    )
    return places.flatMap((place, n): Seen[] => {
      const state = states[n]
      return state ? [{ ...place, state }] : []
    })
  })
  watchFigures(registry, look, GAUGES)
}

const LABELS = ['provider', 'egress'] as const

function gauge(name: string, help: string, read: (seen: Seen) => number): FigureGauge<Seen[]> {
  return {
    name,
    help,
    labels: LABELS,
    read: (all) => all.map((seen) => ({ of: { provider: seen.provider, egress: seen.egress }, value: read(seen) })),
  }
}

const GAUGES = [
  gauge('probity_pace_connections', 'Connections that are open, of all workers.', ({ state }) => state.connections),
  gauge('probity_pace_connections_max', 'How many there may be.', ({ connectionsMax }) => connectionsMax),
  gauge(
    'probity_pace_per_minute',
    'New connections in a minute: what it gets now. Servers that complained get less for some hours.',
    ({ state, perMinute }) => (perMinute * state.level) / 1_000,
  ),
  gauge('probity_pace_per_minute_max', 'New connections in a minute: what it bears.', ({ perMinute }) => perMinute),
  gauge(
    'probity_pace_refused',
    'Recipients that were refused within the hour, of all workers.',
    ({ state }) => state.refused,
  ),
  gauge('probity_pace_suspended', 'Whether it is left alone because it turned us away: 1 where it is.', ({ state }) =>
    state.suspendedUntil === null ? 0 : 1,
  ),
]
