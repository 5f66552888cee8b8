import { expectBounces, isKept, keptReasons, PRESET_NAMES, type PresetName } from '@probity/contract/constants/jobs'
import type { Breakdown } from '@probity/contract/schemas/jobs/results'
import type { KindCount, Tallies } from '@probity/database/jobs/results/result-tallies'

export function presentBreakdown({ kinds, providers, domains }: Tallies): Breakdown {
  return {
    by_reason: countReasons(kinds),
    by_provider: providers,
    by_domain: domains,
    keep_plans: PRESET_NAMES.map((preset) => planOf(preset, kinds)),
  }
}

function countReasons(kinds: KindCount[]): Breakdown['by_reason'] {
  const byReason = Object.groupBy(kinds, ({ status, subStatus }) => `${status} ${subStatus}`)
  return Object.values(byReason)
    .map((same = []) => ({ status: same[0]?.status ?? '', sub_status: same[0]?.subStatus ?? '', count: sumOf(same) }))
    .toSorted((a, b) => b.count - a.count || a.sub_status.localeCompare(b.sub_status))
}

function planOf(preset: PresetName, kinds: KindCount[]): Breakdown['keep_plans'][number] {
  const kept = kinds.filter((kind) => isKept(preset, { ...kind, override: kind.override }))
  const keepCount = sumOf(kept)
  return {
    preset,
    keep_count: keepCount,
    remove_count: sumOf(kinds) - keepCount,
    expected_bounce_rate: expectBounces(kept),
    keeps: keptReasons(preset),
  }
}

function sumOf(kinds: KindCount[]): number {
  return kinds.reduce((sum, { count }) => sum + count, 0)
}
