import { Hourglass, RotateCw } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { formatClock } from '../ui/format.ts'
import { whatHappensNext } from '../words/verdict-sentences.ts'

type OpenNoticeProps = { subStatus: string; retryAt: string; onAskAgain: (() => void) | undefined }

/** Why a result is still open, what happens with it meanwhile, and when to ask again. */
export function OpenNotice({ subStatus, retryAt, onAskAgain }: OpenNoticeProps) {
  const at = Date.parse(retryAt)
  const secondsLeft = useSecondsUntil(at)
  const when = secondsLeft > 0 ? `from ${formatClock(at)}, in ${wait(secondsLeft)}` : 'now: the time has come'
  return (
    <div className="flex flex-wrap items-start gap-x-3 gap-y-3 rounded-md border border-line bg-surface px-4 py-3">
      <Hourglass className="mt-0.5 size-4 shrink-0 text-faint" aria-hidden="true" />
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-medium">Still being worked on</p>
        <p className="mt-0.5 max-w-prose text-soft">
          {whatHappensNext(subStatus)} Nothing is lost, and you need not keep this page open. Whoever asks again for
          this address collects the answer, free.
        </p>
        <p className="mt-1.5 tabular-nums text-soft">Ask again {when}.</p>
      </div>
      {onAskAgain && (
        <Button size="sm" onClick={onAskAgain} icon={<RotateCw className="size-4" aria-hidden="true" />}>
          Ask again
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
