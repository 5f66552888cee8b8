/** Whether a text is a date as in URLs and the API. A partially typed year is not. */
export function isDay(value: unknown): value is string {
  return typeof value === 'string' && /^[1-9]\d{3}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value))
}
