import { useEffect, useState } from 'react'
import { formatDateTime, formatRelative } from './format.ts'

const TICK_MS = 15_000

/** "3 minutes ago", with the exact time as a tooltip. */
export function RelativeTime({ at }: { at: string }) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <time dateTime={at} title={formatDateTime(at)} className="whitespace-nowrap">
      {formatRelative(at, Math.max(now, Date.now()))}
    </time>
  )
}
