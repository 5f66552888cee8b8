/** Above this Stirling's series is exact to more than ten digits; below it the argument is moved up first. */
const SERIES_FROM = 8

/** The logarithm of the gamma function, for arguments above zero. */
export function logGamma(x: number): number {
  let shift = 0
  let z = x
  for (; z < SERIES_FROM; z += 1) shift += Math.log(z)
  const inverse = 1 / (z * z)
  const series = (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse / 1680))) / z
  return (z - 0.5) * Math.log(z) - z + 0.5 * Math.log(2 * Math.PI) + series - shift
}

/** The logarithm of the beta function. */
export function logBeta(a: number, b: number): number {
  return logGamma(a) + logGamma(b) - logGamma(a + b)
}
