import { RotateCw } from 'lucide-react'
import { VerdictBadge } from '../../../labels/verdict.tsx'
import { useScene } from '../../../session/workspace.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { formatRelative } from '../../../ui/format.ts'
import type { RecentValidations } from './use-recent-validations.ts'
import type { ValidationOutcome, ValidationRequest } from './use-validation.ts'

type RecentCardProps = {
  recent: RecentValidations
  onOpen(answer: ValidationOutcome): void
  onAskAgain(asked: ValidationRequest): void
}

/** The last validations, to open again free of charge or to validate again. */
export function RecentCard({ recent: { answers, isKept, clear }, onOpen, onAskAgain }: RecentCardProps) {
  return (
    <Card
      title="Recent validations"
      actions={
        answers.length > 0 && (
          <Button size="sm" look="quiet" onClick={clear}>
            Clear
          </Button>
        )
      }
    >
      {answers.length === 0 && <Nothing isKept={isKept} />}
      <ul className="-mx-2 flex flex-col">
        {answers.map((answer) => (
          <li key={answer.result.id} className="flex items-center gap-1">
            <button
              type="button"
              onClick={() => onOpen(answer)}
              className="flex min-h-9 min-w-0 flex-1 flex-wrap items-center justify-between gap-x-2 rounded-md px-2 py-1.5 text-start hover:bg-hover"
            >
              <span className="min-w-0 flex-1 truncate font-mono text-xs">{answer.result.email}</span>
              <VerdictBadge status={answer.result.status} />
              <span className="w-full text-xs text-faint">
                {formatRelative(answer.result.metadata.timestamp * 1_000)}
              </span>
            </button>
            <IconButton
              size="sm"
              label={`Validate ${answer.result.email} again`}
              onClick={() => onAskAgain(requestAgain(answer))}
            >
              <RotateCw />
            </IconButton>
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** A deferred validation returns its final result; any other address is probed anew instead of using the stored result. */
function requestAgain({ result: { email, retry_at } }: ValidationOutcome): ValidationRequest {
  return retry_at === null ? { email, isFresh: true } : { email }
}

function Nothing({ isKept }: { isKept: boolean }) {
  const { mode } = useScene()
  if (!isKept) return <p className="text-soft">This account does not store results, so none are listed here.</p>
  return (
    <p className="text-soft">
      {mode === 'test'
        ? 'No recent validations. Results of test mode are listed here until you reload or close the page.'
        : 'No recent validations. Those of this browser are listed here for as long as their results are stored.'}
    </p>
  )
}
