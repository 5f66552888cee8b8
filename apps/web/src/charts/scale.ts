/** About this many grid lines above zero. */
const STEPS = 3

/** The labels of an axis for counts, from 0 to at least `top`, in steps of 1, 2 or 5 times a power of ten. */
export function ticksTo(top: number): number[] {
  const raw = Math.max(1, top) / STEPS
  const power = 10 ** Math.floor(Math.log10(raw))
  const step = Math.max(1, power * ([1, 2, 5].find((factor) => factor * power >= raw) ?? 10))
  return Array.from({ length: Math.ceil(Math.max(1, top) / step) + 1 }, (_, n) => n * step)
}
