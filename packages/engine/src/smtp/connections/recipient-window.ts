import type { SmtpConnection } from './connection.ts'

/** Transactions per connection. Servers limit commands between messages, and a probe never sends a message. */
const TRANSACTIONS_MAX = 40
/** The cost of a new connection in round trips: about five of ours, and four times as much for the load on the server. */
const SETUP_ROUND_TRIPS = 25

/**
 * The number of recipients that may be in flight. Each may be rejected, and a command in flight cannot be withdrawn, so the number never
 * exceeds the errors that the server tolerates. `extra` errors are risked beyond them.
 */
export function remainingRecipients(connection: SmtpConnection, extra = { errors: 0 }): number {
  const inTransaction = transactionSize(connection)
  const transactionsLeft =
    Math.min(TRANSACTIONS_MAX, connection.capabilities.limits.transactions) - connection.transactions
  const taken = connection.transaction?.recipients ?? inTransaction
  return Math.max(
    0,
    Math.min(
      connection.windowSize,
      errorsLeft(connection) + extra.errors,
      connection.site.limits.recipientsPerConnection - connection.probed,
      Math.max(0, inTransaction - taken) + transactionsLeft * inTransaction,
    ),
  )
}

/** The recipients per transaction that the provider's limits, the server's declaration and its earlier replies allow. */
export function transactionSize({ site, capabilities, recipientsMax }: SmtpConnection): number {
  return Math.min(site.limits.recipientsPerTransaction, capabilities.limits.recipients, recipientsMax)
}

export function errorsLeft(connection: SmtpConnection): number {
  return Math.min(connection.errorsMax, connection.lease.errorsMax) - connection.rejected
}

/** Whether further recipients are allowed and cost less than on a new connection, given the share of rejections so far. */
export function isWorthReusing(connection: SmtpConnection): boolean {
  if (remainingRecipients(connection) === 0) return false
  const budget = Math.min(connection.errorsMax, connection.lease.errorsMax)
  return (
    connection.rejected === 0 ||
    errorsLeft(connection) > reconnectThreshold(budget, connection.rejected / connection.probed)
  )
}

/**
 * The number of remaining errors at which a new connection costs less. With `left` errors remaining, `left` recipients are sent per round
 * trip, and an error occurs every 1/share recipients: the fewer remain, the slower the probe. Reconnecting earlier means more connections.
 * The result minimizes the cost per recipient over a whole connection.
 */
export function reconnectThreshold(budget: number, share: number): number {
  if (!Number.isFinite(budget)) return 0
  let best = 0
  let bestCost = Number.POSITIVE_INFINITY
  let roundTrips = SETUP_ROUND_TRIPS
  let recipients = 0
  for (let left = budget; left >= 1; left -= 1) {
    roundTrips += 1 / share / Math.min(left, WINDOW_SIZES.at(-1) ?? 1)
    recipients += 1 / share
    if (roundTrips / recipients < bestCost) {
      bestCost = roundTrips / recipients
      best = left - 1
    }
  }
  return best
}

/** One recipient first, which shows how the server replies; then more at a time, while no limit is met. */
const WINDOW_SIZES = [1, 3, 10]

export function nextWindowSize(size: number): number {
  return WINDOW_SIZES.find((next) => next > size) ?? size
}

export const FIRST_WINDOW_SIZE = 1
