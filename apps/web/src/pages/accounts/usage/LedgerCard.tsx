import { LEDGER_KIND_LABELS, ledgerKindLabel } from '@probity/contract/constants/labels'
import type { LedgerEntry } from '@probity/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Download, ReceiptText } from 'lucide-react'
import { asRequestFailed, saveFile } from '../../../session/client.ts'
import { useScene } from '../../../session/workspace.ts'
import { Button, buttonClass } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { DateTime } from '../../../ui/DateTime.tsx'
import { DayInput, SelectInput } from '../../../ui/Field.tsx'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import { EmptyState, PageFrame } from '../../../ui/States.tsx'
import { type Column, DataTable, Pager } from '../../../ui/Table.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'
import { type LedgerSearch, RANGE_USUAL } from '../search.ts'
import { ENTRIES_PER_PAGE, filterOf, keyLabel, ledgerQuery, usageQuery } from './usage-query.ts'

/** Credit transactions, newest first, filtered by the search parameters. */
export function LedgerCard() {
  const search = useSearch({ from: '/shell/usage' })
  return (
    <Card
      title="Credit transactions"
      about="All credit transactions, newest first. The ledger is append-only."
      actions={<LedgerDownload search={search} />}
    >
      <div className="flex flex-col gap-4">
        <LedgerFilters {...search} />
        <Found search={search} />
      </div>
    </Card>
  )
}

/** Transactions stay visible while they are refetched, and if that fails. */
function Found({ search }: { search: LedgerSearch }) {
  const query = useQuery(ledgerQuery(useScene(), search))
  const { data, isError } = query
  const navigate = useNavigate({ from: '/usage' })
  const turn = (to: number) =>
    void navigate({ search: ({ skip: _, ...now }) => ({ ...now, ...(to > 0 && { skip: to }) }), resetScroll: false })
  if (data === undefined)
    return <PageFrame query={query} failed="The credit transactions could not be loaded" lines={6} />
  const isNarrowed = Boolean(search.kind || search.from || search.to || search.key)
  return (
    <div>
      {isError && <Callout kind="warning">The data could not be refreshed. It may be out of date.</Callout>}
      <p role="status" className="sr-only">
        {isNarrowed && `${formatCount(data.total, 'transaction')} found.`}
      </p>
      {data.entries.length === 0 ? (
        <NothingFound isNarrowed={isNarrowed} isBehind={data.total > 0} />
      ) : (
        <LedgerTable entries={data.entries} />
      )}
      <Pager skip={search.skip ?? 0} limit={ENTRIES_PER_PAGE} total={data.total} noun="transactions" onTurn={turn} />
    </div>
  )
}

function NothingFound({ isNarrowed, isBehind }: { isNarrowed: boolean; isBehind: boolean }) {
  const icon = <ReceiptText aria-hidden="true" />
  if (!isNarrowed && !isBehind) {
    return (
      <EmptyState icon={icon} title="No credit transactions yet">
        Credits that are added, used or refunded are listed here.
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={icon}
      title={isBehind ? 'This page is empty' : 'No transactions match these filters'}
      action={
        <Link
          from="/usage"
          to="."
          search={({ mode, org, days }) => ({ mode, org, ...(days && { days }) })}
          resetScroll={false}
          className={buttonClass()}
        >
          Show all transactions
        </Link>
      }
    >
      {isBehind ? 'There are fewer transactions than this page number requires.' : 'Change or clear the filters.'}
    </EmptyState>
  )
}

/** A plain link cannot send the account header, so the file is downloaded in memory first. */
function LedgerDownload({ search }: { search: LedgerSearch }) {
  const { probity } = useScene()
  const toasts = useToasts()
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      const blob = await new Response(await probity.ledger.download(filterOf(search))).blob()
      saveFile(new Blob([blob], { type: 'text/csv' }), 'ledger.csv')
    },
    onSuccess: () => toasts.done('ledger.csv downloaded.'),
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

/** Filters are kept in the URL, so that a link opens the same view. */
function LedgerFilters({ kind, from, to, key }: LedgerSearch) {
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
        {Object.entries(LEDGER_KIND_LABELS).map(([value, label]) => (
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

const COLUMNS: Column<LedgerEntry>[] = [
  { head: 'Time', className: 'whitespace-nowrap text-soft', cell: (entry) => <EntryTime entry={entry} /> },
  { head: 'Type', className: 'min-w-40', cell: (entry) => <EntryKind entry={entry} /> },
  { head: 'Credits', align: 'end', cell: (entry) => <Change entry={entry} /> },
  { head: 'Balance', align: 'end', cell: (entry) => formatNumber(entry.available_after) },
  { head: 'Key', className: 'max-w-48 text-soft [overflow-wrap:anywhere]', cell: (entry) => entry.key_name ?? '–' },
  { head: 'Note', className: 'max-w-56 text-soft [overflow-wrap:anywhere]', cell: (entry) => entry.note ?? '–' },
]

/** One page of transactions. */
function LedgerTable({ entries }: { entries: LedgerEntry[] }) {
  return (
    <DataTable
      caption="Credit transactions"
      columns={COLUMNS}
      rows={entries}
      keyOf={({ id }) => id}
      cardsBelow="md"
      card={(entry) => <EntryCard entry={entry} />}
    />
  )
}

function EntryCard({ entry }: { entry: LedgerEntry }) {
  return (
    <>
      <div className="flex items-start justify-between gap-4">
        <EntryKind entry={entry} />
        <Change entry={entry} />
      </div>
      <p className="text-[0.8125rem] text-faint">
        <EntryTime entry={entry} />, balance {formatNumber(entry.available_after)}
      </p>
      {(entry.key_name || entry.note) && (
        <p className="text-[0.8125rem] text-soft [overflow-wrap:anywhere]">
          {[entry.key_name, entry.note].filter(Boolean).join(' · ')}
        </p>
      )}
    </>
  )
}

function EntryTime({ entry: { occurred_at: at } }: { entry: LedgerEntry }) {
  return <DateTime at={at} />
}

function EntryKind({ entry: { kind, job_id, filename } }: { entry: LedgerEntry }) {
  return (
    <div className="min-w-0">
      <p>{ledgerKindLabel(kind)}</p>
      {job_id && filename && (
        <Link
          to="/lists/$jobId"
          params={{ jobId: job_id }}
          className="text-[0.8125rem] [overflow-wrap:anywhere] text-accent-text underline-offset-4 hover:underline"
        >
          {filename}
        </Link>
      )}
      {job_id && !filename && <p className="text-[0.8125rem] text-faint">Deleted list</p>}
    </div>
  )
}

/** Screen readers may skip the sign, so hidden text says whether credits were added or deducted. */
function Change({ entry: { credits, available_change } }: { entry: LedgerEntry }) {
  if (available_change === 0) {
    return <span className="text-soft tabular-nums">{formatNumber(Math.abs(credits))} from reserved credits</span>
  }
  const came = available_change > 0
  return (
    <span className={clsx('whitespace-nowrap tabular-nums', came ? 'text-valid' : 'text-ink')}>
      <span aria-hidden="true">
        {came ? '+' : '−'}
        {formatNumber(Math.abs(available_change))}
      </span>
      <span className="sr-only">
        {formatCount(Math.abs(available_change), 'credit')} {came ? 'added' : 'deducted'}
      </span>
    </span>
  )
}
