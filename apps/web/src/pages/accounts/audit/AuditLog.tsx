import type { AuditEntry, AuditLog } from '@probity/contract/schemas/operators'
import { keepPreviousData, queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Download, History, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { APP_HEADERS, asRequestFailed, callApi, readFailure, saveFile, sceneHeaders } from '../../../session/client.ts'
import { rolesFor, useMay, useScene } from '../../../session/workspace.ts'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { DateTime } from '../../../ui/DateTime.tsx'
import { DayInput, SearchField, SelectInput } from '../../../ui/Field.tsx'
import { formatCount } from '../../../ui/format.ts'
import { EmptyState, NoPermission, PageFrame } from '../../../ui/States.tsx'
import { type Column, DataTable, Pager } from '../../../ui/Table.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'
import type { AuditSearch, OperatorAuditSearch } from '../search.ts'
import { actionWords, actorWords, changeLines, NOUNS, OPERATOR_NOUNS, subjectWords } from './audit-labels.ts'

type AuditLogCardProps = {
  about: ReactNode
  source: AuditSource
  search: OperatorAuditSearch
  nouns: Record<string, string>
  /** Whether the entries belong to several accounts. */
  withAccount?: boolean
  onSearch(search: OperatorAuditSearch): void
}

/** Audit entries that match the filters in the URL. */
function AuditLogCard({ about, source, search, nouns, withAccount = false, onSearch }: AuditLogCardProps) {
  return (
    <Card title="Audit log" about={about} actions={<SheetButton source={source} search={search} />}>
      <div className="flex flex-col gap-4">
        <AuditFilters search={search} nouns={nouns} withAccount={withAccount} onSearch={onSearch} />
        <Found source={source} search={search} withAccount={withAccount} onSearch={onSearch} />
      </div>
    </Card>
  )
}

type FoundProps = Pick<AuditLogCardProps, 'source' | 'search' | 'onSearch'> & { withAccount: boolean }

function Found({ source, search, withAccount, onSearch }: FoundProps) {
  const query = useQuery(auditQuery(source, search))
  const { data, isError } = query
  if (data === undefined)
    return (
      <PageFrame query={query} failed="The audit log could not be loaded" loading="Loading the audit log" lines={6} />
    )
  const { skip = 0, ...filters } = search
  const isNarrowed = Object.keys(filters).length > 0
  return (
    <div>
      {isError && <Callout kind="warning">The data could not be refreshed. It may be out of date.</Callout>}
      <p role="status" className="sr-only">
        {isNarrowed && `${formatCount(data.total, 'entry', 'entries')} found.`}
      </p>
      {data.entries.length === 0 ? (
        <EmptyState
          icon={<History aria-hidden="true" />}
          title={isNarrowed ? 'No entries match these filters' : 'No audit entries yet'}
          action={(isNarrowed || skip > 0) && <Button onClick={() => onSearch({})}>Show all entries</Button>}
        >
          {isNarrowed ? 'Change or clear the filters.' : 'Changes by members and API keys appear here.'}
        </EmptyState>
      ) : (
        <AuditTable entries={data.entries} withAccount={withAccount} />
      )}
      <Pager
        skip={skip}
        limit={ENTRIES_PER_PAGE}
        total={data.total}
        noun="entries"
        onTurn={(to) => onSearch({ ...filters, ...(to > 0 && { skip: to }) })}
      />
    </div>
  )
}

function SheetButton({ source, search }: Pick<AuditLogCardProps, 'source' | 'search'>) {
  const toasts = useToasts()
  const { mutate, isPending } = useMutation({
    mutationFn: async () => saveFile(await fetchAuditSheet(source, search), 'audit-log.csv'),
    onSuccess: () => toasts.done('audit-log.csv downloaded.'),
    onError: (error) => toasts.failed(`The file could not be downloaded. ${asRequestFailed(error).message}`),
  })
  return (
    <Button
      size="sm"
      busy={isPending}
      icon={<Download className="size-4" aria-hidden="true" />}
      onClick={() => mutate()}
    >
      Download CSV
    </Button>
  )
}

type AuditFiltersProps = {
  search: OperatorAuditSearch
  nouns: Record<string, string>
  withAccount: boolean
  onSearch(search: OperatorAuditSearch): void
}

/** The filters are kept in the URL, so that a link opens the same view. */
function AuditFilters({ search, nouns, withAccount, onSearch }: AuditFiltersProps) {
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

type AuditTableProps = { entries: AuditEntry[]; withAccount: boolean }

const COLUMNS: Column<AuditEntry>[] = [
  { head: 'Time', className: 'align-top whitespace-nowrap text-soft', cell: ({ at }) => <EntryTime at={at} /> },
  { head: 'Actor', className: 'max-w-48 align-top', cell: (entry) => <Actor entry={entry} /> },
  { head: 'Action', className: 'align-top', cell: (entry) => <Action entry={entry} /> },
]

const ACCOUNT_COLUMN: Column<AuditEntry> = {
  head: 'Account',
  className: 'max-w-48 align-top [overflow-wrap:anywhere]',
  cell: (entry) => <Account entry={entry} />,
}

/** The entries of one page. */
function AuditTable({ entries, withAccount }: AuditTableProps) {
  return (
    <DataTable
      caption="Audit log"
      columns={[...COLUMNS, withAccount && ACCOUNT_COLUMN]}
      rows={entries}
      keyOf={({ id }) => id}
      cardsBelow="md"
      card={(entry) => (
        <>
          <Action entry={entry} />
          <div className="text-[0.8125rem]">
            <Actor entry={entry} />
          </div>
          <p className="text-xs text-faint">
            <EntryTime at={entry.at} />
            {withAccount && (
              <>
                {', '}
                <Account entry={entry} />
              </>
            )}
          </p>
        </>
      )}
    />
  )
}

function EntryTime({ at }: { at: string }) {
  return <DateTime at={at} seconds />
}

function Actor({ entry }: { entry: AuditEntry }) {
  const { name, kind } = actorWords(entry)
  const from = [kind, entry.ip].filter(Boolean).join(', ')
  return (
    <div className="[overflow-wrap:anywhere]">
      <p>{name}</p>
      {from && <p className="text-xs text-faint">{from}</p>}
    </div>
  )
}

function Action({ entry }: { entry: AuditEntry }) {
  const lines = changeLines(entry.changes)
  const subject = subjectWords(entry)
  return (
    <div className="min-w-0 [overflow-wrap:anywhere]">
      <p>
        <span className="font-medium">{actionWords(entry.action)}</span>
        {subject && <span className="text-soft">: {subject}</span>}
      </p>
      {lines.length > 0 && (
        <ul className="text-[0.8125rem] text-soft">
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </div>
  )
}

function Account({ entry: { account_id, account_name } }: { entry: AuditEntry }) {
  if (account_id === null) return <>Installation</>
  return <>{account_name ?? `${account_id} (deleted)`}</>
}

const ENTRIES_PER_PAGE = 25

/** The endpoint of the log: that of the account, or that of the whole installation. */
type AuditSource = { path: string; key: readonly unknown[]; headers: Record<string, string> }

function auditQuery({ path, key, headers }: AuditSource, search: OperatorAuditSearch) {
  const { skip = 0 } = search
  const query = filterOf(search)
  query.set('skip', String(skip))
  query.set('limit', String(ENTRIES_PER_PAGE))
  return queryOptions({
    queryKey: [...key, 'audit-log', query.toString()],
    queryFn: ({ signal }) => callApi<AuditLog>(`${path}?${query}`, { headers, signal }),
    placeholderData: keepPreviousData,
  })
}

/** All entries that match the filters, as a file. */
async function fetchAuditSheet({ path, headers }: AuditSource, search: OperatorAuditSearch): Promise<Blob> {
  const query = filterOf(search)
  query.set('format', 'csv')
  const response = await fetch(`/app/api${path}?${query}`, { headers: { ...APP_HEADERS, ...headers } })
  if (!response.ok) throw await readFailure(response)
  return response.blob()
}

function filterOf({ action, by, from, to, account }: OperatorAuditSearch): URLSearchParams {
  return new URLSearchParams({
    ...(action && { action }),
    ...(by && { by }),
    ...(from && { from }),
    ...(to && { to }),
    ...(account && { account }),
  })
}

/** The account's audit log, for its owners and admins. */
export function OwnAuditLog() {
  const { key, membership, mode } = useScene()
  const search = useSearch({ from: '/shell/settings/audit-log' })
  const navigate = useNavigate({ from: '/settings/audit-log' })
  if (!useMay('account:write')) {
    return (
      <Card title="Audit log">
        <NoPermission what="view the audit log" roles={rolesFor('account:write')} />
      </Card>
    )
  }
  const headers = sceneHeaders({ accountId: membership.account_id, mode })
  const onSearch = (next: AuditSearch) =>
    void navigate({ search: (now) => ({ mode: now.mode, org: now.org, ...next }), replace: true, resetScroll: false })
  return (
    <AuditLogCard
      about="Actions in this account, with actor, IP address and time. Entries are kept for one year and cannot be changed or removed."
      source={{ path: '/audit-log', key, headers }}
      search={search}
      nouns={NOUNS}
      onSearch={onSearch}
    />
  )
}

const SOURCE = { path: '/operator/audit-log', key: ['operator'], headers: {} }

/** The audit log of all accounts and of the installation. */
export function WholeAuditLog() {
  const search = useSearch({ from: '/shell/operator/audit-log' })
  const navigate = useNavigate({ from: '/operator/audit-log' })
  const onSearch = (next: OperatorAuditSearch) =>
    void navigate({ search: (now) => ({ mode: now.mode, org: now.org, ...next }), replace: true, resetScroll: false })
  return (
    <AuditLogCard
      about="Actions in all accounts and on the installation itself. Entries are kept for one year and cannot be changed or removed."
      source={SOURCE}
      search={search}
      nouns={OPERATOR_NOUNS}
      withAccount
      onSearch={onSearch}
    />
  )
}
