import { X } from 'lucide-react'
import { Button } from '../../../ui/Button.tsx'
import { DayInput } from '../../../ui/DayInput.tsx'
import { SelectInput } from '../../../ui/Field.tsx'
import { SearchField } from '../../../ui/SearchField.tsx'
import type { OperatorAuditSearch } from './audit-search.ts'

type AuditFiltersProps = {
  search: OperatorAuditSearch
  nouns: Record<string, string>
  withAccount: boolean
  onSearch(search: OperatorAuditSearch): void
}

/** The filters are kept in the URL, so that a link opens the same view. */
export function AuditFilters({ search, nouns, withAccount, onSearch }: AuditFiltersProps) {
  const narrow = (change: OperatorAuditSearch) => {
    const { skip: _, ...now } = search
    const next = Object.entries({ ...now, ...change }).filter(([, value]) => value !== '')
    onSearch(Object.fromEntries(next))
  }
  return (
    <search className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-2">
        <SearchField
          label="Search by actor"
          value={search.by ?? ''}
          maxLength={200}
          onChange={(by) => narrow({ by })}
        />
        <SelectInput
          aria-label="Category"
          value={search.action ?? ''}
          onChange={({ target }) => narrow({ action: target.value })}
          className="w-auto! flex-1 sm:flex-none"
        >
          <option value="">All categories</option>
          {Object.entries(nouns).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectInput>
        {withAccount && <AccountChoice account={search.account} onChoose={(account) => narrow({ account })} />}
      </div>
      <div className="flex flex-wrap gap-2">
        <DayInput label="From" value={search.from} onChange={(from) => narrow({ from })} />
        <DayInput label="To" value={search.to} onChange={(to) => narrow({ to })} />
      </div>
    </search>
  )
}

/** A single account is chosen on the accounts page; this removes that filter. */
function AccountChoice({ account, onChoose }: { account: string | undefined; onChoose(account: string): void }) {
  if (account !== undefined && account !== 'installation') {
    return (
      <Button size="md" onClick={() => onChoose('')} icon={<X className="size-4" aria-hidden="true" />}>
        One account only
      </Button>
    )
  }
  return (
    <SelectInput
      aria-label="Scope"
      value={account ?? ''}
      onChange={({ target }) => onChoose(target.value)}
      className="w-auto! flex-1 sm:flex-none"
    >
      <option value="">All accounts</option>
      <option value="installation">Installation</option>
    </SelectInput>
  )
}
