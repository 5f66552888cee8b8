import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { KIND_LABELS } from '../../../labels/ledger-kinds.ts'
import { useScene } from '../../../session/scene.ts'
import { DayInput } from '../../../ui/DayInput.tsx'
import { SelectInput } from '../../../ui/Field.tsx'
import { keyLabel } from './key-label.ts'
import { usageQuery } from './usage-query.ts'
import { type LedgerSearch, RANGE_USUAL } from './usage-search.ts'

/** Filters are kept in the URL, so that a link opens the same view. */
export function LedgerFilters({ kind, from, to, key }: LedgerSearch) {
  const navigate = useNavigate({ from: '/usage' })
  const narrow = (change: LedgerSearch) => {
    void navigate({
      search: ({ skip: _, ...now }) => dropEmpty({ ...now, ...change }),
      replace: true,
      resetScroll: false,
    })
  }
  return (
    <search className="grid grid-cols-1 gap-2 sm:grid-cols-2 lg:grid-cols-4">
      <SelectInput aria-label="Type" value={kind ?? ''} onChange={({ target }) => narrow({ kind: target.value })}>
        <option value="">All types</option>
        {Object.entries(KIND_LABELS).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectInput>
      <KeyFilter chosen={key} onChoose={(next) => narrow({ key: next })} />
      <DayInput label="From" value={from} onChange={(day) => narrow({ from: day })} />
      <DayInput label="To" value={to} onChange={(day) => narrow({ to: day })} />
    </search>
  )
}

/** Keys used on the selected days, and the key in the URL. */
function KeyFilter({ chosen, onChoose }: { chosen: string | undefined; onChoose(key: string): void }) {
  const { days = RANGE_USUAL } = useSearch({ from: '/shell/usage' })
  const { data } = useQuery(usageQuery(useScene(), days, 'key'))
  const used = (data?.keys ?? []).flatMap((key) =>
    key.key_id === null ? [] : [{ value: key.key_id, label: keyLabel(key) }],
  )
  const isMissing = chosen !== undefined && chosen !== 'none' && !used.some(({ value }) => value === chosen)
  const choices = isMissing ? [...used, { value: chosen, label: keyLabel({ key_id: chosen, key_name: null }) }] : used
  return (
    <SelectInput aria-label="Key" value={chosen ?? ''} onChange={({ target }) => onChoose(target.value)}>
      <option value="">All keys</option>
      <option value="none">No key</option>
      {choices.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </SelectInput>
  )
}

function dropEmpty<T extends LedgerSearch>(search: T): T {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== '')) as T
}
