import { ChevronRight } from 'lucide-react'
import { Field, SelectInput } from '../../ui/Field.tsx'

export const TIMEOUTS_S = [5, 10, 20, 30] as const

/** For those who would rather have a quick answer than a sure one, or the other way round. */
export function TimeoutOption({ value, onChange }: { value: number; onChange(value: number): void }) {
  return (
    <details className="group">
      <summary className="inline-flex min-h-7 items-center gap-1 text-[0.8125rem] text-soft select-none hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight className="size-3.5 transition-transform group-open:rotate-90" aria-hidden="true" />
        Options
      </summary>
      <Field
        label="Wait for the mail server"
        hint="What is not settled by then is unknown for now and worked on further. Asking again collects the answer, free."
        className="mt-2 max-w-sm"
      >
        {(ids) => (
          <SelectInput {...ids} value={value} onChange={(event) => onChange(Number(event.target.value))}>
            {TIMEOUTS_S.map((seconds) => (
              <option key={seconds} value={seconds}>
                up to {seconds} seconds
              </option>
            ))}
          </SelectInput>
        )}
      </Field>
    </details>
  )
}
