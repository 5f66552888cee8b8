import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { TextInput } from './Field.tsx'

const TYPING_MS = 300

type SearchFieldProps = { label: string; value: string; maxLength: number; onChange(text: string): void }

/** A search input that reports its text after a pause in typing. */
export function SearchField({ label, value, maxLength, onChange }: SearchFieldProps) {
  const [text, setText] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  // The URL also changes by back, forward and links that clear the filter.
  useEffect(() => setText(value), [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const type = (next: string) => {
    setText(next)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => onChange(next), TYPING_MS)
  }
  return (
    <div className="relative w-full sm:w-72">
      <Search className="absolute start-3 top-1/2 size-4 -translate-y-1/2 text-faint" aria-hidden="true" />
      <TextInput
        type="search"
        aria-label={label}
        placeholder={label}
        value={text}
        maxLength={maxLength}
        onChange={({ target }) => type(target.value)}
        className="ps-9"
      />
    </div>
  )
}
