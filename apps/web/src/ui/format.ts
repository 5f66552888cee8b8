const NUMBER = new Intl.NumberFormat('en-GB')
const SHARE = new Intl.NumberFormat('en-GB', { style: 'percent', maximumFractionDigits: 1 })
const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
const DATE_TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })

export const formatNumber = (value: number) => NUMBER.format(value)
/** 0.1234 as 12.3 %. */
export const formatShare = (value: number) => SHARE.format(value)
export const formatDate = (value: string | number | Date) => DATE.format(new Date(value))
/** A date of the service is in UTC: it must not become the day before in western time zones. */
export const formatDay = (day: string) => DAY.format(new Date(day))
export const formatDateTime = (value: string | number | Date) => DATE_TIME.format(new Date(value))
/** To the second, for events in quick succession. */
export const formatTime = (value: string | number | Date) => TIME.format(new Date(value))
export const formatClock = (value: string | number | Date) => CLOCK.format(new Date(value))

/** A duration: "0.3 ms", "318 ms", "1.2 s". */
export function formatMs(ms: number): string {
  if (ms === 0 || (ms < 10 && !Number.isInteger(ms))) return `${ms < 0.1 ? '< 0.1' : ms.toFixed(1)} ms`
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`
}

/** As in the limits of files: 50 MiB. */
const BYTES = ['B', 'KiB', 'MiB', 'GiB'] as const

export function formatBytes(bytes: number): string {
  const step = bytes < 1_024 ? 0 : Math.min(BYTES.length - 1, Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1_024 ** step
  return `${value.toFixed(step === 0 || value >= 100 ? 0 : 1)} ${BYTES[step]}`
}

/** "1 address", "2,000 addresses". */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`
}

/** The credits charged for a request. Test mode charges none. */
export function formatCharge(credits: number, livemode: boolean): string {
  return livemode ? formatCount(credits, 'credit') : 'Free in test mode'
}

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]
const RELATIVE = new Intl.RelativeTimeFormat('en-GB', { numeric: 'auto' })

export function formatRelative(value: string | number | Date, now = Date.now()): string {
  const seconds = (new Date(value).getTime() - now) / 1_000
  const step = STEPS.find(([, length]) => Math.abs(seconds) >= length)
  if (step === undefined) return seconds > 5 ? 'in less than a minute' : 'less than a minute ago'
  const [unit, length] = step
  return RELATIVE.format(Math.round(seconds / length), unit)
}

/** Whether a text is a date as in URLs and the API. A partially typed year is not. */
export function isDay(value: unknown): value is string {
  return typeof value === 'string' && /^[1-9]\d{3}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value))
}
