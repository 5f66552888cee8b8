import { clsx } from 'clsx'
import { Check } from 'lucide-react'

/** A progress bar. It is not a live region: the parent announces the progress. */
export function ProgressBar({ value, label, className }: { value: number; label: string; className?: string }) {
  const percent = Math.round(Math.min(1, Math.max(0, value)) * 100)
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
      className={clsx('h-2 overflow-hidden rounded-full bg-hover', className)}
    >
      <div className="h-full rounded-full bg-accent transition-[width] duration-500" style={{ width: `${percent}%` }} />
    </div>
  )
}

/** The current step of several. */
export function Steps({ label, steps, current }: { label: string; steps: readonly string[]; current: number }) {
  return (
    <ol aria-label={label} className="flex flex-wrap items-center gap-x-2 gap-y-2">
      {steps.map((step, index) => (
        <li
          key={step}
          aria-current={index === current ? 'step' : undefined}
          className={clsx('flex items-center gap-2', index === current ? 'font-medium text-ink' : 'text-faint')}
        >
          <span
            className={clsx(
              'grid size-6 shrink-0 place-items-center rounded-full text-xs tabular-nums',
              index < current && 'bg-valid-soft text-valid',
              index === current && 'bg-accent text-on-accent',
              index > current && 'border border-line text-faint',
            )}
          >
            {index < current ? <Check className="size-3.5" aria-hidden="true" /> : index + 1}
          </span>
          <span className={clsx(index !== current && 'max-sm:sr-only')}>{step}</span>
          {index < current && <span className="sr-only">done</span>}
          {index < steps.length - 1 && <span aria-hidden="true" className="h-px w-3 bg-line sm:mx-1 sm:w-8" />}
        </li>
      ))}
    </ol>
  )
}
