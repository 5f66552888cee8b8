import { Pause, Play, RotateCw } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { formatTime } from '../../ui/format.ts'

type RefreshLineProps = { refreshing: Refreshing; at: number; onRefresh(): void }

/** The time of the last refresh, and a button that pauses automatic refreshes. */
export function RefreshLine({ refreshing: { isPaused, turn }, at, onRefresh }: RefreshLineProps) {
  const Icon = isPaused ? Play : Pause
  return (
    <div className="flex flex-wrap items-center gap-2 text-[0.8125rem] text-faint">
      <p>
        {isPaused ? 'Paused. ' : 'Refreshes every 10 seconds. '}
        {at > 0 && (
          <>
            As of <time dateTime={new Date(at).toISOString()}>{formatTime(at)}</time>.
          </>
        )}
      </p>
      <Button size="sm" onClick={turn} icon={<Icon className="size-4" aria-hidden="true" />}>
        {isPaused ? 'Resume' : 'Pause'}
      </Button>
      {isPaused && (
        <Button size="sm" onClick={onRefresh} icon={<RotateCw className="size-4" aria-hidden="true" />}>
          Refresh
        </Button>
      )}
    </div>
  )
}

const EVERY_MS = 10_000

type Refreshing = { isPaused: boolean; turn(): void; everyMs: number | false }

/** Refreshes the figures automatically until the user pauses it. */
export function useRefreshing(): Refreshing {
  const [isPaused, setPaused] = useState(false)
  return { isPaused, turn: () => setPaused((is) => !is), everyMs: isPaused ? false : EVERY_MS }
}
