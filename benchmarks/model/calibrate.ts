import { probability } from './learn.ts'

/** A linear map from the model's sum to log-odds (Platt scaling). */
export type Line = { slope: number; offset: number }

const STEPS = 40

/** The maximum-likelihood line for the held-out strings, by Newton's method. Both classes have the same weight. */
export function calibrate(sums: Float64Array, human: Uint8Array): Line {
  const people = human.reduce((total, one) => total + one, 0)
  const weightOf = [0.5 / (human.length - people), 0.5 / people]
  let slope = 1
  let offset = 0
  for (let step = 0; step < STEPS; step += 1) {
    let [g0, g1, h00, h01, h11] = [0, 0, 1e-9, 0, 1e-9]
    for (let index = 0; index < sums.length; index += 1) {
      const sum = sums[index] ?? 0
      const label = human[index] ?? 0
      const weight = weightOf[label] ?? 0
      const p = probability(slope * sum + offset)
      const curve = weight * p * (1 - p)
      g0 += weight * (p - label)
      g1 += weight * (p - label) * sum
      h00 += curve
      h01 += curve * sum
      h11 += curve * sum * sum
    }
    const determinant = h00 * h11 - h01 * h01
    offset -= (h11 * g0 - h01 * g1) / determinant
    slope -= (h00 * g1 - h01 * g0) / determinant
  }
  return { slope, offset }
}

/** The highest log-odds at which no more than `share` of these people are classified as machines. */
export function chooseThreshold(peoplesLogits: Float64Array, share: number): number {
  const ordered = peoplesLogits.toSorted()
  return ordered[Math.floor(share * ordered.length)] ?? 0
}
