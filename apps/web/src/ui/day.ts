/** Whether a text is a day as addresses and the service write it. A year that is being typed is none yet. */
export function isDay(value: unknown): value is string {
  return typeof value === 'string' && /^[1-9]\d{3}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value))
}
