import { clsx } from 'clsx'
import { Tabs as Radix } from 'radix-ui'
import { type ReactNode, useId } from 'react'

type Tab = { value: string; label: ReactNode; content: ReactNode }

type TabsProps = { label: string; tabs: Tab[]; value?: string; onChange?(value: string): void }

export function Tabs({ label, tabs, value, onChange }: TabsProps) {
  const first = tabs[0]?.value ?? ''
  return (
    <Radix.Root
      {...(value === undefined ? { defaultValue: first } : { value })}
      {...(onChange && { onValueChange: onChange })}
      className="min-w-0"
    >
      <Radix.List aria-label={label} className="flex gap-5 overflow-x-auto border-b border-line">
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            className="-mb-px min-h-9 border-b-2 border-transparent px-0.5 whitespace-nowrap text-soft hover:text-ink data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-ink"
          >
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value} className="pt-4">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}

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
