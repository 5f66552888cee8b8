import { ChevronRight } from 'lucide-react'
import { Field, SelectInput } from '../../../ui/Field.tsx'

export const TIMEOUTS_S = [5, 10, 20, 30] as const

/** Trades a quick result against a conclusive one. */
export function TimeoutOption({ value, onChange }: { value: number; onChange(value: number): void }) {
  return (
    <details className="group">
      <summary className="inline-flex min-h-7 items-center gap-1 text-[0.8125rem] text-soft select-none hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight className="size-3.5 transition-transform group-open:rotate-90" aria-hidden="true" />
        Options
      </summary>
      <Field
        label="Timeout"
        hint="Without a result by then, the status is unknown and validation continues in the background. Validate the address again to get the final result at no charge."
        className="mt-2 max-w-sm"
      >
        {(ids) => (
          <SelectInput {...ids} value={value} onChange={(event) => onChange(Number(event.target.value))}>
            {TIMEOUTS_S.map((seconds) => (
              <option key={seconds} value={seconds}>
                {seconds} seconds
              </option>
            ))}
          </SelectInput>
        )}
      </Field>
    </details>
  )
}
