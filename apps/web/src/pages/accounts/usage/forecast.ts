/** How long credits last at the recent rate of use. */
export type Forecast = {
  /** Number of days up to today that the rate is based on. */
  days: number
  perDay: number
  /** Undefined if no credits were used, or if the date is too far in the future. */
  until: Date | undefined
}

type Spent = { credits_used: number; credits_refunded: number }

const DAY_MS = 86_400_000
/** A forecast beyond two years is not meaningful. */
const DAYS_FORESEEN_MAX = 730

/** `history` is in chronological order and ends today. Refunded credits are subtracted. */
export function forecast(
  available: number,
  history: readonly Spent[],
  { days, now }: { days: number; now: Date },
): Forecast {
  const recent = history.slice(-days)
  const spent = recent.reduce((sum, { credits_used, credits_refunded }) => sum + credits_used - credits_refunded, 0)
  const perDay = Math.max(0, spent) / days
  const daysLeft = perDay === 0 ? Number.POSITIVE_INFINITY : available / perDay
  const until = daysLeft <= DAYS_FORESEEN_MAX ? new Date(now.getTime() + daysLeft * DAY_MS) : undefined
  return { days, perDay, until }
}
