/** How long credits last if they go on being spent as they were of late. */
export type Forecast = {
  /** Over so many days up to today. */
  days: number
  perDay: number
  /** Nothing where nothing was spent, and where it is too far off to be a forecast. */
  until: Date | undefined
}

type Spent = { credits_used: number; credits_refunded: number }

const DAY_MS = 86_400_000
/** Nobody's pace stays the same for longer. */
const DAYS_FORESEEN_MAX = 730

/** The days are in their order, and the last of them is today. What came back was not spent. */
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
