import { useEffect, useState } from 'react'
import { useDelayReason } from '../../../shell/DelayBanner.tsx'
import { Button } from '../../../ui/Button.tsx'

const SLOW_AFTER_MS = 8_000

/** Shown while a validation runs. */
export function Waiting({ email, timeoutS, onCancel }: { email: string; timeoutS: number; onCancel(): void }) {
  const [isSlow, setSlow] = useState(false)
  const isDelayed = typeof useDelayReason() === 'string'
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 flex-1 basis-48 [overflow-wrap:anywhere]">
          Validating <span className="font-mono text-[0.8125rem]">{email}</span>
        </p>
        <Button size="sm" onClick={onCancel}>
          Cancel
        </Button>
      </div>
      <p role="status" className="text-soft empty:hidden">
        {isDelayed && `Waiting for a worker, for up to ${timeoutS} seconds. No mail server has been contacted yet.`}
        {isSlow &&
          !isDelayed &&
          `The mail server is slow to respond. The timeout is ${timeoutS} seconds. You can leave this page and validate the address again later.`}
      </p>
      <div aria-hidden="true" className="flex flex-col gap-3">
        <div className="skeleton h-8 w-40" />
        <div className="skeleton h-5 w-4/5" />
        <div className="skeleton h-16 w-full" />
        <div className="skeleton h-5 w-3/5" />
        <div className="skeleton h-5 w-2/3" />
      </div>
    </div>
  )
}
