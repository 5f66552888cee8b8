import { VerdictBadge } from '../../../labels/VerdictBadge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import type { Answer } from './use-validation.ts'

type RecentChecksProps = { answers: Answer[]; isKept: boolean; onOpen(answer: Answer): void; onClear(): void }

export function RecentChecks({ answers, isKept, onOpen, onClear }: RecentChecksProps) {
  return (
    <Card
      title="Recent validations"
      actions={
        answers.length > 0 && (
          <Button size="sm" look="quiet" onClick={onClear}>
            Clear
          </Button>
        )
      }
    >
      {answers.length === 0 && (
        <p className="text-soft">
          {isKept
            ? 'No recent validations. Results from this tab are listed here until you reload or close it.'
            : 'This account does not store results, so none are listed here.'}
        </p>
      )}
      <ul className="-mx-2 flex flex-col">
        {answers.map((answer) => (
          <li key={answer.result.id}>
            <button
              type="button"
              onClick={() => onOpen(answer)}
              className="flex min-h-9 w-full items-center justify-between gap-2 rounded-md px-2 py-1.5 text-start hover:bg-hover"
            >
              <span className="min-w-0 truncate font-mono text-xs">{answer.result.email}</span>
              <VerdictBadge status={answer.result.status} />
            </button>
          </li>
        ))}
      </ul>
    </Card>
  )
}
