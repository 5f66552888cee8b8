import { PROVIDER_LIMITS } from '@probity/engine/smtp/providers/data/limits'
import { BEHAVIOURS, type Behaviour } from '@probity/lab/simulation/data/behaviours'

/** Resources of one row of a list, from the largest run of `bench scale`. */
export type PerRow = {
  cpuUs: Record<string, number>
  redisCommands: number
  walBytes: number
  keptBytes: number
  connections: number
}

const VOLUMES = [1_000_000, 100_000_000, 1_000_000_000]
const DAY_S = 86_400
/** Ratio of the busiest hour to the mean; capacity is planned for the busiest hour. */
const PEAK = 3
const RETENTION_DAYS = 30
/** Duration of a connection to a remote mail server. */
const CONNECTION_S = 5
/** Share of invalid addresses at a provider. */
const BAD_SHARE = 0.08
/** Utilization of a core at the peak; more would cause queueing. */
const FULL = 0.6

/** The calculations of docs/scale.md, as a table. */
export function writeSums(row: PerRow): string {
  const sums = VOLUMES.map((volume) => sumOf(volume, row))
  const lines: [string, (sum: Sum) => string][] = [
    ['validations per second, mean and peak', ({ mean, peak }) => `${say(mean)}, ${say(peak)}`],
    ['cores for the API (lists only)', ({ cores }) => sayCores(cores.api)],
    ['cores for workers', ({ cores }) => sayCores(cores.worker)],
    ['cores for PostgreSQL', ({ cores }) => sayCores(cores.postgres)],
    ['WAL of PostgreSQL at the peak', ({ walMbS }) => `${say(walMbS)} MB/s`],
    [`results of ${RETENTION_DAYS} days`, ({ keptGb }) => `${say(keptGb)} GB`],
    ['Redis commands per second at the peak', ({ redis }) => say(redis)],
    ['new connections to mail servers per second at the peak', ({ connections }) => say(connections)],
    ['connections to mail servers open at the same time', ({ sockets }) => say(sockets)],
    ['egress addresses', ({ egresses }) => `${say(egresses.count)} (${egresses.provider})`],
  ]
  const head = ['per day', ...VOLUMES.map((volume) => volume.toLocaleString('en-GB'))]
  const table = [head, head.map(() => '---'), ...lines.map(([name, tell]) => [name, ...sums.map(tell)])]
  return table.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

type Sum = ReturnType<typeof sumOf>

function sumOf(volume: number, { cpuUs, redisCommands, walBytes, keptBytes, connections }: PerRow) {
  const mean = volume / DAY_S
  const peak = mean * PEAK
  const coresFor = (name: string) => {
    const us = Object.entries(cpuUs).filter(([part]) => part.startsWith(name))
    return (peak * us.reduce((sum, [, value]) => sum + value, 0)) / 1e6 / FULL
  }
  return {
    mean,
    peak,
    cores: { api: coresFor('api'), worker: coresFor('worker'), postgres: coresFor('postgres') },
    walMbS: (peak * walBytes) / 1e6,
    keptGb: (volume * RETENTION_DAYS * keptBytes) / 1e9,
    redis: peak * redisCommands,
    connections: peak * connections,
    sockets: peak * connections * CONNECTION_S,
    egresses: egressesFor(volume),
  }
}

/**
 * The number of egress addresses for a volume, and the provider that needs most of them. limits.ts has the limits of a provider per address: rejected recipients
 * per hour, connections per minute and recipients per connection.
 */
function egressesFor(volume: number): { count: number; provider: string } {
  const all: Behaviour[] = Object.values(BEHAVIOURS)
  const large = all.filter(({ group, provider }) => group === 'large' && provider in PROVIDER_LIMITS)
  const needs = large.map(({ provider, weight, bad }) => {
    const { errorsPerHour, connectionsPerMinute, recipientsPerConnection, probe } =
      PROVIDER_LIMITS[provider as keyof typeof PROVIDER_LIMITS]
    if (probe === 'D') return { provider, count: 0 } // not probed
    const byErrors = (errorsPerHour * 24) / (bad?.[0] ?? BAD_SHARE)
    const byConnections = connectionsPerMinute * 60 * 24 * recipientsPerConnection
    return { provider, count: (volume * weight) / 100 / Math.min(byErrors, byConnections) } // weights are hundredths
  })
  const [most = { provider: '', count: 0 }] = needs.toSorted((one, other) => other.count - one.count)
  return { provider: most.provider, count: Math.ceil(most.count) }
}

/** A share of a core below one percent says nothing about a host. */
function sayCores(cores: number): string {
  return cores < 0.01 ? '< 0.01' : say(cores)
}

function say(figure: number): string {
  return figure.toLocaleString('en-GB', { maximumSignificantDigits: 2 })
}
