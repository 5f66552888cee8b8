const BORNE_MIN = 0.1
const BORNE_MAX = 50

/** The typed bounce tolerance in percent, with a comma or a point; undefined if it is not a valid number. */
export function readBorne(typed: string): number | undefined {
  const text = typed.trim().replace(',', '.')
  if (!/^\d{1,2}(\.\d{1,4})?$/.test(text)) return undefined
  const borne = Number(text)
  return borne >= BORNE_MIN && borne <= BORNE_MAX ? borne : undefined
}

/** The deliverability threshold for a bounce tolerance. */
export function chanceBorne(typed: string): number {
  return rounded(1 - (readBorne(typed) ?? 0) / 100, 6)
}

export function writeBorne(chance: number): string {
  return String(rounded((1 - chance) * 100, 4))
}

/** Removes floating-point noise beyond the typed digits. */
function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
