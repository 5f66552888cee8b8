import { BOUNCE_RANGES, type BounceRange, type Keeps, PRESETS } from './data/presets.ts'
import type { OverrideAction } from './override.ts'
import { SUB_STATUSES } from './status.ts'

export type PresetName = keyof typeof PRESETS
export const PRESET_NAMES = Object.keys(PRESETS) as PresetName[]

/** What a preset goes by; a row without an address has empty texts. */
export type Kind = { status: string; subStatus: string; safeToSend: boolean; override?: OverrideAction | null }

/** The lines of a preset: a result is kept if it is as one of them says. */
export function linesOf(preset: PresetName): readonly Keeps[] {
  return PRESETS[preset]
}

/** What the account has put on a list of its own is kept or removed by that; not even it keeps what comes back for certain. */
export function isKept(preset: PresetName, { status, subStatus, safeToSend, override }: Kind): boolean {
  if (override === 'block') return false
  if (override === 'allow') return status !== 'invalid'
  return linesOf(preset).some(
    (line) =>
      line.status === status &&
      (line.reason === undefined || line.reason === subStatus) &&
      (line.safeToSend === undefined || safeToSend),
  )
}

/** The reasons of which a preset keeps anything. */
export function keptReasons(preset: PresetName): string[] {
  return Object.entries(SUB_STATUSES)
    .filter(([subStatus, { status }]) => isKept(preset, { status, subStatus, safeToSend: true }))
    .map(([subStatus]) => subStatus)
}

/** Says nothing of a reason that is not in the table, which may be newer than the table. */
const ANYTHING: BounceRange = { low: 0, high: 1 }

/** Which share of mail to these addresses comes back, between what and what; none where there are none. */
export function expectBounces(addresses: readonly { subStatus: string; count: number }[]): BounceRange {
  const total = addresses.reduce((sum, { count }) => sum + count, 0)
  if (total === 0) return { low: 0, high: 0 }
  const share = (end: keyof BounceRange) => {
    const bounces = addresses.reduce((sum, { subStatus, count }) => sum + rangeOf(subStatus)[end] * count, 0)
    return Math.round((bounces / total) * 10_000) / 10_000
  }
  return { low: share('low'), high: share('high') }
}

function rangeOf(subStatus: string): BounceRange {
  return (BOUNCE_RANGES as Partial<Record<string, BounceRange>>)[subStatus] ?? ANYTHING
}
