import { Pause, Play, RotateCw } from 'lucide-react'
import { Button } from '../../ui/Button.tsx'
import { formatTime } from '../../ui/format.ts'
import type { Refreshing } from './use-refreshing.ts'

type RefreshLineProps = { refreshing: Refreshing; at: number; onRefresh(): void }

/** When the figures were asked for, and who asks for the next ones. */
export function RefreshLine({ refreshing: { isPaused, turn }, at, onRefresh }: RefreshLineProps) {
  const Icon = isPaused ? Play : Pause
  return (
    <div className="flex flex-wrap items-center gap-2 text-[0.8125rem] text-faint">
      <p>
        {isPaused ? 'Paused. ' : 'Every 10 seconds. '}
        {at > 0 && (
          <>
            As of <time dateTime={new Date(at).toISOString()}>{formatTime(at)}</time>.
          </>
        )}
      </p>
      <Button size="sm" onClick={turn} icon={<Icon className="size-4" aria-hidden="true" />}>
        {isPaused ? 'Go on' : 'Pause'}
      </Button>
      {isPaused && (
        <Button size="sm" onClick={onRefresh} icon={<RotateCw className="size-4" aria-hidden="true" />}>
          Refresh
        </Button>
      )}
    </div>
  )
}
