const TOLERANCE_MIN = 0.1
const TOLERANCE_MAX = 50

/** The typed bounce tolerance in percent, with a comma or a point; undefined if it is not a valid number. */
export function readTolerance(typed: string): number | undefined {
  const text = typed.trim().replace(',', '.')
  if (!/^\d{1,2}(\.\d{1,4})?$/.test(text)) return undefined
  const tolerance = Number(text)
  return tolerance >= TOLERANCE_MIN && tolerance <= TOLERANCE_MAX ? tolerance : undefined
}

/** The deliverability threshold for a bounce tolerance. */
export function readThreshold(typed: string): number {
  return rounded(1 - (readTolerance(typed) ?? 0) / 100, 6)
}

export function formatTolerance(chance: number): string {
  return String(rounded((1 - chance) * 100, 4))
}

/** Removes floating-point noise beyond the typed digits. */
function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
