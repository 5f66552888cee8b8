import { RotateCw } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { RequestFailed } from '../../../session/client.ts'
import { Button, CopyButton } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'

type AskFailedProps = { failure: RequestFailed; retryAfterS: number | undefined; onRetry(): void }

/** Why a validation failed, and what to do. */
export function ValidationError({ failure, retryAfterS = 0, onRetry }: AskFailedProps) {
  const left = useCountdown(retryAfterS)
  const { title, advice } = wordsFor(failure)
  const message = failure.message.includes('Retry-After') ? WAIT : failure.message
  return (
    <Callout kind="error" live title={title}>
      <p className="mt-0.5">
        {message} {advice}
      </p>
      {failure.requestId && (
        <p className="mt-1 flex flex-wrap items-center gap-1.5 text-[0.8125rem] text-soft">
          Request ID: <code className="font-mono break-all">{failure.requestId}</code>
          <CopyButton text={failure.requestId} label="Copy request ID" />
        </p>
      )}
      <Button
        size="sm"
        className="mt-2"
        disabled={left > 0}
        onClick={onRetry}
        icon={<RotateCw className="size-4" aria-hidden="true" />}
      >
        <span className="tabular-nums">{left > 0 ? `Try again in ${left} s` : 'Try again'}</span>
      </Button>
    </Callout>
  )
}

/** Instead of advice for programs, which names a header. */
const WAIT = 'Wait until the countdown ends, then try again.'

function wordsFor({ status, code }: RequestFailed): { title: string; advice: string } {
  if (status === 402) return { title: 'Insufficient credits', advice: '' }
  if (status === 429) return { title: 'Too many requests', advice: '' }
  if (status === 503) return { title: 'Service unavailable', advice: 'You were not charged.' }
  if (code === 'unreachable')
    return { title: 'No connection', advice: 'Check your network. You can retry safely: you are not charged twice.' }
  return { title: 'Validation failed', advice: '' }
}

function useCountdown(seconds: number): number {
  const [left, setLeft] = useState(Math.ceil(seconds))
  const isOver = left <= 0
  useEffect(() => {
    if (isOver) return
    const timer = setInterval(() => setLeft((now) => now - 1), 1_000)
    return () => clearInterval(timer)
  }, [isOver])
  return Math.max(0, left)
}
