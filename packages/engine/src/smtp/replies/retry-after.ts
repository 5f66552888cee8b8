const SECOND_MS = 1_000
const DAY_MS = 86_400_000

const MS_OF_UNIT: Record<string, number> = { s: SECOND_MS, m: 60_000, h: 3_600_000, d: DAY_MS }

const ASKS = String.raw`(?:try|retry|wait|back|gr[ea]y-?list\w{0,4}|postgrey|deferred|delayed|after|for|in)`
const UNIT = '(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)'

/** `retry in 300 seconds`, `wait 5m`, `greylisted for 1 hour`. */
const ASKED_THEN_TIME = new RegExp(String.raw`\b${ASKS}\b[^\d]{0,40}(\d{1,6})[ -]?${UNIT}\b`, 'i')
/** `300 seconds until you may retry`. */
const TIME_THEN_ASKED = new RegExp(
  String.raw`\b(\d{1,6})[ -]?${UNIT}\b[^\d]{0,30}\b(?:try|retry|wait|come back)\b`,
  'i',
)
/** `try again in 04:59`, `wait 00:05:00`. A time of day follows `at` and is not matched. */
const CLOCK =
  /\b(?:retry|again|wait|back|gr[ea]y-?list\w{0,4})(?: in| for| after)? (?:(\d{1,2}):)?(\d{1,2}):(\d\d)(?![:\w])/i
/** `Greylisted (300)`: seconds, as Postgrey counts. */
const IN_BRACKETS = /\b(?:retry|again|wait|later|back|gr[ea]y-?list\w{0,4})\b[^\d]{0,40}\((\d{1,6})\)/i

/** The delay that the text of a reply requests, between a second and a day. */
export function findRetryAfterMs(text: string): number | null {
  if (!/\d/.test(text)) return null
  const ms = findTime(text) ?? findClock(text) ?? findSeconds(text)
  return ms === null ? null : Math.min(Math.max(ms, SECOND_MS), DAY_MS)
}

function findTime(text: string): number | null {
  const found = ASKED_THEN_TIME.exec(text) ?? TIME_THEN_ASKED.exec(text)
  if (found === null) return null
  const unit = MS_OF_UNIT[(found[2] ?? '').charAt(0).toLowerCase()] ?? SECOND_MS
  return Number(found[1]) * unit
}

function findClock(text: string): number | null {
  const found = CLOCK.exec(text)
  if (found === null) return null
  const [hours, minutes, seconds] = [found[1] ?? 0, found[2], found[3]].map(Number)
  return ((hours ?? 0) * 3_600 + (minutes ?? 0) * 60 + (seconds ?? 0)) * SECOND_MS
}

function findSeconds(text: string): number | null {
  const found = IN_BRACKETS.exec(text)
  return found === null ? null : Number(found[1]) * SECOND_MS
}
