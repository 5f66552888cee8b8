import type { Line } from './line.ts'

/** Transactions per connection. Servers count what comes between messages, and ours never become messages. */
const TRANSACTIONS_MAX = 40
/** What a new connection costs, in round trips: about five of ours, and four times as much for the trouble it gives the server. */
const SETUP_ROUND_TRIPS = 25

/**
 * How many recipients may be asked in one go. Each may be refused, and what is in flight cannot be taken back, so there are
 * never more than the server bears.
 */
export function roomOn(line: Line): number {
  const inTransaction = transactionSize(line)
  const transactionsLeft = Math.min(TRANSACTIONS_MAX, line.offers.limits.transactions) - line.transactions
  const taken = line.transaction?.recipients ?? inTransaction
  return Math.max(
    0,
    Math.min(
      line.stride,
      errorsLeft(line),
      line.site.habits.recipientsPerConnection - line.asked,
      Math.max(0, inTransaction - taken) + transactionsLeft * inTransaction,
    ),
  )
}

/** How many recipients one transaction may have: as many as the provider likes, the server declares and was seen to take. */
export function transactionSize({ site, offers, recipientsMax }: Line): number {
  return Math.min(site.habits.recipientsPerTransaction, offers.limits.recipients, recipientsMax)
}

export function errorsLeft(line: Line): number {
  return Math.min(line.errorsMax, line.lease.errorsMax) - line.refused
}

/** Whether the line has room and asking on costs less than a new connection would, given how many were refused so far. */
export function isWorthKeeping(line: Line): boolean {
  if (roomOn(line) === 0) return false
  const budget = Math.min(line.errorsMax, line.lease.errorsMax)
  return line.refused === 0 || errorsLeft(line) > leaveAt(budget, line.refused / line.asked)
}

/**
 * The number of errors left at which it is best to leave. With `left` errors to go, `left` recipients are asked per round trip,
 * and each error is met after 1/share recipients: the fewer are left, the slower it goes. Leaving earlier means more
 * connections. This is the point where the cost per recipient over a whole connection is least.
 */
export function leaveAt(budget: number, share: number): number {
  if (!Number.isFinite(budget)) return 0
  let best = 0
  let bestCost = Number.POSITIVE_INFINITY
  let roundTrips = SETUP_ROUND_TRIPS
  let recipients = 0
  for (let left = budget; left >= 1; left -= 1) {
    roundTrips += 1 / share / Math.min(left, STRIDES.at(-1) ?? 1)
    recipients += 1 / share
    if (roundTrips / recipients < bestCost) {
      bestCost = roundTrips / recipients
      best = left - 1
    }
  }
  return best
}

/** A first recipient alone shows who we are dealing with; then more at a time, while the answers are clean. */
const STRIDES = [1, 3, 10]

export function nextStride(stride: number): number {
  return STRIDES.find((next) => next > stride) ?? stride
}

export const FIRST_STRIDE = 1
