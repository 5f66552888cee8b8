/** The statuses with which a receiver may ask for time (RFC 6585 §4, RFC 9110 §15.6.4). */
const ASKS_FOR_TIME = new Set([429, 503])

/** For how many seconds a receiver wants to be left alone (RFC 9110 §10.2.3); 0 where it does not say, or says nonsense. */
export function readRetryAfter(header: string | undefined, status: number, now = Date.now()): number {
  if (header === undefined || !ASKS_FOR_TIME.has(status)) return 0
  if (/^\d{1,9}$/.test(header)) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? 0 : Math.max(0, (at - now) / 1000)
}
