import type { AnyResult } from './any-result.ts'

/** A finding that was weighed: how far it moved the chance, in log-odds, and where the chance stood then. */
export type WeighedPart = { check: string; outcome: string; logOdds: number; chance: number }

/** Chances are given to six digits. */
const TOLERANCE = 1e-6

/**
 * The findings that the chance is made of, in the order in which they were weighed. None where they do not come to it: test mode
 * weighs nothing, and a result that was kept before there were chances has none.
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
