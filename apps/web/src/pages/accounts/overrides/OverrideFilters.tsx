import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { TextInput } from '../../../ui/Field.tsx'
import { Segments } from '../../../ui/Segments.tsx'
import type { OverridesSearch } from './overrides-search.ts'

const CHOICES = [
  { value: 'both', label: 'Both lists' },
  { value: 'allow', label: 'Allowed' },
  { value: 'block', label: 'Blocked' },
] as const

/** The search starts after a typing pause of this length. */
const TYPING_MS = 300

/** Filters are kept in the URL, so that a link opens the same view. */
export function OverrideFilters({ action, search = '' }: OverridesSearch) {
  const navigate = useNavigate({ from: '/settings/allow-and-block' })
  const [text, setText] = useState(search)
  // The URL also changes by back, forward and links.
  useEffect(() => setText(search), [search])
  useEffect(() => {
    if (text.trim() === search) return
    const timer = setTimeout(() => {
      void navigate({
        search: ({ skip: _, search: __, ...now }) => ({ ...now, ...(text.trim() !== '' && { search: text.trim() }) }),
        replace: true,
        resetScroll: false,
      })
    }, TYPING_MS)
    return () => clearTimeout(timer)
  }, [text, search, navigate])
  const choose = (next: (typeof CHOICES)[number]['value']) =>
    void navigate({
      search: ({ skip: _, action: __, ...now }) => ({ ...now, ...(next !== 'both' && { action: next }) }),
      replace: true,
      resetScroll: false,
    })
  return (
    <search className="flex flex-wrap items-center gap-2">
      <Segments label="List" value={action ?? 'both'} choices={CHOICES} onChange={choose} />
      <TextInput
        type="search"
        aria-label="Search entries"
        placeholder="Search entries"
        value={text}
        maxLength={320}
        onChange={({ target }) => setText(target.value)}
        className="min-w-40 flex-1"
      />
    </search>
  )
}
