import { formatDateTime, formatTime } from './format.ts'

/**
 * The time of an event or of an end, as every table, card and drawer shows it. `seconds` is for logs, whose entries follow in quick
 * succession. RelativeTime is only for how recent an activity is, for example the last use of a key.
 */
export function DateTime({ at, seconds = false }: { at: string; seconds?: boolean }) {
  return (
    <time dateTime={at} className="whitespace-nowrap">
      {seconds ? formatTime(at) : formatDateTime(at)}
    </time>
  )
}
