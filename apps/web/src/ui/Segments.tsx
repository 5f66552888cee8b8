import { clsx } from 'clsx'
import { useId } from 'react'

type SegmentsProps<T extends string> = {
  label: string
  value: T
  choices: readonly { value: T; label: string }[]
  onChange(value: T): void
  size?: 'sm' | 'md'
}

/** A radio group that looks like a segmented control. */
export function Segments<T extends string>({ label, value, choices, onChange, size = 'md' }: SegmentsProps<T>) {
  const name = useId()
  return (
    <fieldset className="inline-flex rounded-md border border-line bg-sunken p-0.5">
      <legend className="sr-only">{label}</legend>
      {choices.map((choice) => (
        <label
          key={choice.value}
          className={clsx(
            'relative flex items-center rounded-[0.3125rem] text-[0.8125rem] font-medium transition-colors has-focus-visible:outline-2 has-focus-visible:outline-accent-text',
            size === 'sm' ? 'min-h-7 px-2.5' : 'min-h-8 px-3',
            'text-center leading-tight pointer-coarse:min-h-10',
            value === choice.value ? 'bg-raised text-ink shadow-card' : 'text-soft hover:text-ink',
          )}
        >
          <input
            type="radio"
            name={name}
            value={choice.value}
            checked={value === choice.value}
            onChange={() => onChange(choice.value)}
            className="absolute inset-0 appearance-none opacity-0"
          />
          {choice.label}
        </label>
      ))}
    </fieldset>
  )
}
