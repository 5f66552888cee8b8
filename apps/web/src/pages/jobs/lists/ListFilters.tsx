import { jobStatusLabel } from '@probity/contract/constants/labels'
import { useNavigate } from '@tanstack/react-router'
import { SelectInput } from '../../../ui/Field.tsx'
import { SearchField } from '../../../ui/SearchField.tsx'
import type { ListsSearch } from './lists-search.ts'

const STATES = [
  { value: 'queued,planning,processing', label: 'In progress' },
  ...['paused', 'completed', 'canceled', 'failed'].map((value) => ({ value, label: jobStatusLabel(value) })),
]

/** The maximum length of a file name. */
const NAME_MAX = 200

/** The filters are kept in the URL, so that a link opens the same view. */
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
