import { Hourglass, RotateCw } from 'lucide-react'
import { useEffect, useState } from 'react'
import { whatHappensNext } from '../../../labels/verdict-sentences.ts'
import { Button } from '../../../ui/Button.tsx'
import { formatClock } from '../../../ui/format.ts'

type OpenNoticeProps = { subStatus: string; retryAt: string; onAskAgain: (() => void) | undefined }

/** Why a result is deferred, what happens next, and when to validate again. */
export function OpenNotice({ subStatus, retryAt, onAskAgain }: OpenNoticeProps) {
  const at = Date.parse(retryAt)
  const secondsLeft = useSecondsUntil(at)
  const next =
    secondsLeft > 0
      ? `Validate again from ${formatClock(at)}, in ${wait(secondsLeft)}.`
      : 'You can validate this address again now.'
  return (
    <div className="flex flex-wrap items-start gap-x-3 gap-y-3 rounded-md border border-line bg-surface px-4 py-3">
      <Hourglass className="mt-0.5 size-4 shrink-0 text-faint" aria-hidden="true" />
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-medium">Validation deferred</p>
        <p className="mt-0.5 max-w-prose text-soft">
          {whatHappensNext(subStatus)} You can close this page. Validate the address again later to get the final result
          at no charge.
        </p>
        <p className="mt-1.5 tabular-nums text-soft">{next}</p>
      </div>
      {onAskAgain && (
        <Button size="sm" onClick={onAskAgain} icon={<RotateCw className="size-4" aria-hidden="true" />}>
          Validate again
        </Button>
      )}
    </div>
  )
}

function useSecondsUntil(at: number): number {
  const [now, setNow] = useState(() => Date.now())
  const isOver = now >= at
  useEffect(() => {
    if (isOver) return
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [isOver])
  return Math.max(0, Math.ceil((at - now) / 1_000))
}

function wait(seconds: number): string {
  if (seconds < 90) return `${seconds} s`
  return `${Math.round(seconds / 60)} minutes`
}
