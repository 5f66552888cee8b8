import type { AnyResult } from './any-result.ts'

/** A finding with log-odds, and the deliverability after it. */
export type WeighedPart = { check: string; outcome: string; logOdds: number; chance: number }

/** Deliverability has six digits. */
const TOLERANCE = 1e-6

/**
 * The findings with log-odds, in evidence order. Empty if they do not add up to the deliverability: test mode has no log-odds, and
 * neither have results stored before deliverability existed.
 */
export function weighedParts({ deliverability, evidence = [] }: AnyResult): WeighedPart[] {
  let sum = 0
  const parts = evidence.flatMap(({ check, outcome, log_odds: logOdds }) => {
    if (logOdds === undefined) return []
    sum += logOdds
    return [{ check, outcome, logOdds, chance: chanceAt(sum) }]
  })
  const last = parts.at(-1)
  return last !== undefined && Math.abs(last.chance - deliverability) < TOLERANCE ? parts : []
}

function chanceAt(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds))
}
