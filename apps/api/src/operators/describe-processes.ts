import { probingReason } from '@probity/contract/constants/system'
import type { HealthPart } from '@probity/contract/schemas/operators'
import type { Process } from '@probity/database/system/processes'
import Type from 'typebox'
import Value from 'typebox/value'

/** Processes send a heartbeat every ten seconds. After three missed heartbeats a process counts as stopped. */
const SILENT_AFTER_MS = 35_000

const NAMES = { api: 'API', worker: 'Workers', maintenance: 'Maintenance' } as const
const WITHOUT = {
  api: 'No API heartbeat yet. The process has just started.',
  worker: 'No worker heartbeat. Validation is stopped until a worker runs.',
  maintenance:
    'No heartbeat of a maintenance process. Without one, expired data is not deleted, the ledger is not reconciled, and no notifications are sent.',
} as const

/** Number of running processes of a kind, and of those that stopped sending heartbeats without a shutdown. */
export function describeProcesses(kind: Process['kind'], all: Process[], now = Date.now()): HealthPart {
  const name = NAMES[kind]
  const { live, silent } = divide(kind, all, now)
  const [oldest] = live
  if (oldest === undefined) {
    const last = silent.map(({ seenAt }) => seenAt.getTime())
    const since = last.length > 0 ? new Date(Math.max(...last)).toISOString() : null
    return { name, state: kind === 'worker' ? 'down' : 'degraded', detail: WITHOUT[kind], since_at: since }
  }
  const counted = `${live.length} ${live.length === 1 ? 'process is running' : 'processes are running'}.`
  const lost = silent.length > 0 ? ` ${silent.length} stopped sending heartbeats in the last 24 hours.` : ''
  const mute = kind === 'worker' ? whyMute(live) : undefined
  return {
    name,
    state: mute === undefined ? 'ok' : 'degraded',
    detail: `${counted}${lost}${mute ?? ''}`,
    since_at: oldest.startedAt.toISOString(),
  }
}

const Said = Type.Object({ mode: Type.String(), reason: Type.Union([Type.String(), Type.Null()]) })

/** Reason why mailboxes are not probed; undefined if at least one worker can probe. Workers of another version may not report it. */
function whyMute(live: Process[]): string | undefined {
  const reasons = live.map(({ facts: { probing, egresses } }) => {
    if (Value.Check(Said, probing)) return probing.mode === 'smtp' ? null : (probing.reason ?? '')
    return Array.isArray(egresses) && egresses.length > 0 ? null : 'no_helo_name'
  })
  if (reasons.includes(null)) return undefined
  const reason = reasons.find((one) => one !== 'no_helo_name') ?? 'no_helo_name'
  return ` Mailboxes are not probed: ${probingReason(reason)}`
}

/** Several versions are normal during an upgrade, for a few minutes. */
export function describeVersions(all: Process[], now = Date.now()): HealthPart {
  const live = all.filter((one) => isLive(one, now))
  const versions = [...new Set(live.map(({ version }) => version))].toSorted()
  const newest = live.map(({ startedAt }) => startedAt.getTime())
  return {
    name: 'Version',
    state: versions.length > 1 ? 'degraded' : 'ok',
    detail:
      versions.length > 1
        ? `Different versions are running: ${versions.join(', ')}.`
        : `All processes run ${versions[0] ?? 'the same version'}.`,
    since_at: newest.length > 0 ? new Date(Math.max(...newest)).toISOString() : null,
  }
}

function divide(kind: Process['kind'], all: Process[], now: number) {
  const own = all.filter((one) => one.kind === kind)
  return {
    live: own.filter((one) => isLive(one, now)),
    silent: own.filter((one) => !isLive(one, now)),
  }
}

export function isLive({ seenAt }: Process, now: number): boolean {
  return now - seenAt.getTime() < SILENT_AFTER_MS
}
