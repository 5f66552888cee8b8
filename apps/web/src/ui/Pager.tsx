import { ChevronLeft, ChevronRight } from 'lucide-react'
import { IconButton } from './Button.tsx'
import { formatNumber } from './format.ts'

type PagerProps = { skip: number; limit: number; total: number; noun: string; onTurn(skip: number): void }

export function Pager({ skip, limit, total, noun, onTurn }: PagerProps) {
  if (total <= limit && skip === 0) return null
  const last = Math.min(skip + limit, total)
  return (
    <nav aria-label={`Pages of ${noun}`} className="flex items-center justify-between gap-3 pt-3 text-soft">
      <p className="tabular-nums">
        {formatNumber(Math.min(skip + 1, total))}–{formatNumber(last)} of {formatNumber(total)}
      </p>
      <div className="flex gap-1">
        <IconButton
          label="Previous page"
          look="secondary"
          size="sm"
          disabled={skip === 0}
          onClick={() => onTurn(Math.max(0, skip - limit))}
        >
          <ChevronLeft />
        </IconButton>
        <IconButton
          label="Next page"
          look="secondary"
          size="sm"
          disabled={last >= total}
          onClick={() => onTurn(skip + limit)}
        >
          <ChevronRight />
        </IconButton>
      </div>
    </nav>
  )
}
