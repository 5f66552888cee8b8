/** The probability that a random element of `high` has a higher score than a random one of `low`; a tie counts half. */
export function areaUnderCurve(high: readonly number[], low: readonly number[]): number {
  const all = [...high.map((score) => ({ score, isHigh: 1 })), ...low.map((score) => ({ score, isHigh: 0 }))]
  all.sort((a, b) => a.score - b.score)
  let rankSum = 0
  for (let from = 0; from < all.length; ) {
    let to = from
    let highs = 0
    while (to < all.length && all[to]?.score === all[from]?.score) {
      highs += all[to]?.isHigh ?? 0
      to += 1
    }
    rankSum += (highs * (from + 1 + to)) / 2
    from = to
  }
  return (rankSum - (high.length * (high.length + 1)) / 2) / (high.length * low.length)
}

const BINS = 15

/** One row of a reliability table: mean claimed probability, and observed frequency. */
export type Bin = { from: number; to: number; claimed: number; observed: number; share: number }

/** A claimed probability and its outcome. The weights of all claims add up to 1. */
export type Claim = { p: number; happened: boolean; weight: number }

/** Claims and outcomes in bins of equal width. */
export function reliability(claims: readonly Claim[]): Bin[] {
  const bins = Array.from({ length: BINS }, () => ({ weight: 0, claimed: 0, happened: 0 }))
  for (const { p, happened, weight } of claims) {
    const bin = bins[Math.min(BINS - 1, Math.floor(p * BINS))]
    if (bin === undefined) continue
    bin.weight += weight
    bin.claimed += weight * p
    bin.happened += weight * Number(happened)
  }
  return bins
    .map(({ weight, claimed, happened }, index) => ({
      from: index / BINS,
      to: (index + 1) / BINS,
      claimed: claimed / weight,
      observed: happened / weight,
      share: weight,
    }))
    .filter(({ share }) => share > 0)
}

/** The claims of scores about people and machines. Both groups have the same weight, whatever their sizes. */
export function claimsOf(people: readonly number[], machines: readonly number[]): Claim[] {
  const claim = (logit: number, of: readonly number[]) => ({
    p: 1 / (1 + Math.exp(-logit)),
    happened: of === people,
    weight: 0.5 / of.length,
  })
  return [...people.map((logit) => claim(logit, people)), ...machines.map((logit) => claim(logit, machines))]
}

/** The expected calibration error: the difference between claims and outcomes, weighted by bin size. */
export function calibrationError(bins: readonly Bin[]): number {
  return bins.reduce((sum, { claimed, observed, share }) => sum + share * Math.abs(claimed - observed), 0)
}

/** The 95 % interval of a share (Wilson), which stays inside 0 and 1 and is not empty for a share of zero. */
export function intervalOf(found: number, of: number): [number, number] {
  const z = 1.96
  const p = found / of
  const middle = (p + (z * z) / (2 * of)) / (1 + (z * z) / of)
  const half = (z * Math.sqrt((p * (1 - p)) / of + (z * z) / (4 * of * of))) / (1 + (z * z) / of)
  return [Math.max(0, middle - half), Math.min(1, middle + half)]
}

/** The 95 % interval of an area under the curve, by the standard error of Hanley and McNeil (1982). */
export function intervalOfArea(high: readonly number[], low: readonly number[]): [number, number] {
  const area = areaUnderCurve(high, low)
  const twoHigh = area / (2 - area) - area * area
  const twoLow = (2 * area * area) / (1 + area) - area * area
  const variance = area * (1 - area) + (high.length - 1) * twoHigh + (low.length - 1) * twoLow
  const half = 1.96 * Math.sqrt(variance / (high.length * low.length))
  return [area - half, Math.min(1, area + half)]
}
