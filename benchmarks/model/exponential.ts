const LN2 = Math.LN2

/**
 * e to the power of x. ECMAScript leaves the last bits of Math.exp to the implementation; this function uses only
 * operations that IEEE 754 defines exactly, so that the same training data give the same weights on every machine.
 */
export function exponential(x: number): number {
  const twos = Math.round(x / LN2)
  const rest = x - twos * LN2
  let term = 1
  let sum = 1
  for (let n = 1; n <= 12; n += 1) {
    term = (term * rest) / n
    sum += term
  }
  for (let n = 0; n < Math.abs(twos); n += 1) sum *= twos > 0 ? 2 : 0.5
  return sum
}
