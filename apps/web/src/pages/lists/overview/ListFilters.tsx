import { useNavigate } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { SelectInput, TextInput } from '../../../ui/Field.tsx'
import type { ListsSearch } from '../lists-search.ts'

const STATES = [
  { value: 'queued,planning,processing', label: 'Under way' },
  { value: 'paused', label: 'Paused' },
  { value: 'completed', label: 'Completed' },
  { value: 'cancelled', label: 'Cancelled' },
  { value: 'failed', label: 'Failed' },
] as const

const TYPING_MS = 300
/** As long as the name of a file can be. */
const NAME_MAX = 200

/** Whatever is chosen here stands in the address, so that a colleague opens the same view. */
export function ListFilters({ status, search }: ListsSearch) {
  const navigate = useNavigate({ from: '/lists' })
  const narrow = (change: Partial<ListsSearch>) => {
    void navigate({
      search: ({ skip: _, ...now }) => dropEmpty({ ...now, ...change }),
      replace: true,
      resetScroll: false,
    })
  }
  return (
    <search className="flex flex-wrap gap-2">
      <SearchField value={search ?? ''} onChange={(text) => narrow({ search: text })} />
      <SelectInput
        aria-label="Status"
        value={status ?? ''}
        onChange={({ target }) => narrow({ status: target.value })}
        className="w-auto! flex-1 sm:flex-none"
      >
        <option value="">All statuses</option>
        {STATES.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectInput>
    </search>
  )
}

function SearchField({ value, onChange }: { value: string; onChange(text: string): void }) {
  const [text, setText] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  // The address changes by other ways too: back, forward, a link that clears it.
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
        aria-label="Search by file name"
        placeholder="Search by file name"
        value={text}
        maxLength={NAME_MAX}
        onChange={({ target }) => type(target.value)}
        className="ps-9"
      />
    </div>
  )
}

function dropEmpty<T extends Partial<ListsSearch>>(search: T): T {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== '')) as T
}
