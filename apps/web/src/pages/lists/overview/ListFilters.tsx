import { useNavigate } from '@tanstack/react-router'
import { SelectInput } from '../../../ui/Field.tsx'
import { SearchField } from '../../../ui/SearchField.tsx'
import type { ListsSearch } from '../lists-search.ts'

const STATES = [
  { value: 'queued,planning,processing', label: 'Under way' },
  { value: 'paused', label: 'Paused' },
  { value: 'completed', label: 'Completed' },
  { value: 'canceled', label: 'Canceled' },
  { value: 'failed', label: 'Failed' },
] as const

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
      <SearchField
        label="Search by file name"
        value={search ?? ''}
        maxLength={NAME_MAX}
        onChange={(text) => narrow({ search: text })}
      />
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

function dropEmpty<T extends Partial<ListsSearch>>(search: T): T {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== '')) as T
}
