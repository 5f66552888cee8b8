import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Building2 } from 'lucide-react'
import { useState } from 'react'
import { useWelcome } from '../../session/session.ts'
import { Button } from '../../ui/Button.tsx'
import { Callout } from '../../ui/Callout.tsx'
import { Card } from '../../ui/Card.tsx'
import { SelectInput } from '../../ui/Field.tsx'
import { formatCount } from '../../ui/format.ts'
import { Pager } from '../../ui/Pager.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/States.tsx'
import { AccountDialogs, type Asked } from './AccountDialogs.tsx'
import { AccountTable } from './AccountTable.tsx'
import { ACCOUNT_STATES, type AccountState, type AccountsSearch } from './accounts-search.ts'
import { ACCOUNTS_PER_PAGE, accountsQuery } from './queries.ts'
import { ResetLinkDialog } from './ResetLinkDialog.tsx'

/** All accounts of the installation, with their plans and usage. */
export function Accounts() {
  const search = useSearch({ from: '/shell/operator/accounts' })
  const navigate = useNavigate({ from: '/operator/accounts' })
  const narrow = (change: AccountsSearch) =>
    void navigate({
      search: ({ skip: _, search: _search, state: _state, ...now }) => ({ ...now, ...change }),
      replace: true,
      resetScroll: false,
    })
  return (
    <Card
      title="Accounts"
      about="Account names, plans and usage. Validated addresses are never shown to operators."
      actions={<ResetLink />}
    >
      <div className="flex flex-col gap-4">
        <search className="flex flex-wrap gap-2">
          <SearchField
            label="Search by name or ID"
            value={search.search ?? ''}
            maxLength={200}
            onChange={(text) => narrow({ ...stateOf(search), ...(text && { search: text }) })}
          />
          <SelectInput
            aria-label="State"
            value={search.state ?? ''}
            className="w-auto! flex-1 sm:flex-none"
            onChange={({ target }) =>
              narrow({
                ...(search.search && { search: search.search }),
                ...(target.value && { state: target.value as AccountState }),
              })
            }
          >
            <option value="">All states</option>
            {Object.entries(ACCOUNT_STATES).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </SelectInput>
        </search>
        <Found search={search} onClear={() => narrow({})} />
      </div>
    </Card>
  )
}

/** Where an SMTP relay is set, users request the link themselves. */
function ResetLink() {
  const [isOpen, setOpen] = useState(false)
  if (useWelcome()?.mail !== false) return null
  return (
    <>
      <Button size="sm" onClick={() => setOpen(true)}>
        Create password reset link
      </Button>
      {isOpen && <ResetLinkDialog onClose={() => setOpen(false)} />}
    </>
  )
}

function stateOf({ state }: AccountsSearch): AccountsSearch {
  return state ? { state } : {}
}

function Found({ search, onClear }: { search: AccountsSearch; onClear(): void }) {
  const { data, error, isError, refetch } = useQuery(accountsQuery(search))
  const [asked, setAsked] = useState<Asked>()
  const navigate = useNavigate({ from: '/operator/accounts' })
  const turn = (to: number) =>
    void navigate({ search: ({ skip: _, ...now }) => ({ ...now, ...(to > 0 && { skip: to }) }), resetScroll: false })
  if (data === undefined) {
    return isError ? (
      <ErrorState error={error} onRetry={() => void refetch()} what="The accounts could not be loaded" />
    ) : (
      <Skeleton lines={6} label="Loading accounts" />
    )
  }
  return (
    <div>
      {isError && <Callout kind="warning">The data could not be refreshed. It may be out of date.</Callout>}
      <p role="status" className="sr-only">
        {(search.search || search.state) && `${formatCount(data.total, 'account')} found.`}
      </p>
      {data.accounts.length === 0 ? (
        <NoAccounts isNarrowed={Boolean(search.search || search.state || search.skip)} onClear={onClear} />
      ) : (
        <AccountTable accounts={data.accounts} onAsk={setAsked} />
      )}
      <Pager skip={search.skip ?? 0} limit={ACCOUNTS_PER_PAGE} total={data.total} noun="accounts" onTurn={turn} />
      {asked && <AccountDialogs asked={asked} plans={data.plans} onClose={() => setAsked(undefined)} />}
    </div>
  )
}

function NoAccounts({ isNarrowed, onClear }: { isNarrowed: boolean; onClear(): void }) {
  const icon = <Building2 aria-hidden="true" />
  if (!isNarrowed) {
    return (
      <EmptyState icon={icon} title="No accounts yet">
        New accounts appear here.
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={icon}
      title="No accounts match these filters"
      action={<Button onClick={onClear}>Show all accounts</Button>}
    >
      The search matches account names and the beginning of account IDs.
    </EmptyState>
  )
}
