import { useEffect, useId, useState } from 'react'
import { isDay } from './day.ts'
import { TextInput } from './Field.tsx'

type DayProps = { label: string; value: string | undefined; onChange(day: string): void }

/** A start or end date. */
export function DayInput({ label, value = '', onChange }: DayProps) {
  const id = useId()
  const [text, setText] = useState(value)
  // The URL also changes by back, forward and links that clear the filter.
  useEffect(() => setText(value), [value])
  const type = (day: string) => {
    setText(day)
    if (day === '' || isDay(day)) onChange(day) // a partially typed year such as 0002 is ignored
  }
  return (
    <div className="flex items-center gap-2">
      <label htmlFor={id} className="w-10 shrink-0 text-[0.8125rem] text-soft">
        {label}
      </label>
      <TextInput id={id} type="date" value={text} onChange={({ target }) => type(target.value)} className="min-w-0" />
    </div>
  )
}
