import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Download, ReceiptText } from 'lucide-react'
import { asRequestFailed } from '../../api/probity.ts'
import { useScene } from '../../session/scene.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { Callout } from '../../ui/Callout.tsx'
import { Card } from '../../ui/Card.tsx'
import { formatCount } from '../../ui/format.ts'
import { Pager } from '../../ui/Pager.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/States.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { useToasts } from '../../ui/Toasts.tsx'
import { LedgerFilters } from './LedgerFilters.tsx'
import { EntryCards, LedgerTable } from './LedgerTable.tsx'
import { ENTRIES_PER_PAGE, filterOf, ledgerQuery } from './usage-query.ts'
import type { LedgerSearch } from './usage-search.ts'

/** Every movement of credits, newest first, as far as the filters in the address let it through. */
export function LedgerCard() {
  const search = useSearch({ from: '/shell/usage' })
  return (
    <Card
      title="Movements of credits"
      about="Every credit that came or went, newest first. Nothing here is ever changed or removed."
      actions={<LedgerDownload search={search} />}
    >
      <div className="flex flex-col gap-4">
        <LedgerFilters {...search} />
        <Found search={search} />
      </div>
    </Card>
  )
}

/** What was found stays in sight while it is asked for again, and if that fails. */
function Found({ search }: { search: LedgerSearch }) {
  const { data, isError, error, refetch } = useQuery(ledgerQuery(useScene(), search))
  const navigate = useNavigate({ from: '/usage' })
  const turn = (to: number) =>
    void navigate({ search: ({ skip: _, ...now }) => ({ ...now, ...(to > 0 && { skip: to }) }), resetScroll: false })
  if (data === undefined) {
    return isError ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton lines={6} />
  }
  const isNarrowed = Boolean(search.kind || search.from || search.to || search.key)
  return (
    <div>
      {isError && <Callout kind="warning">This is as last seen: the service did not answer just now.</Callout>}
      <p role="status" className="sr-only">
        {isNarrowed && `${formatCount(data.total, 'movement')} found.`}
      </p>
      {data.entries.length === 0 ? (
        <NothingFound isNarrowed={isNarrowed} isBehind={data.total > 0} />
      ) : (
        <>
          <LedgerTable entries={data.entries} />
          <EntryCards entries={data.entries} />
        </>
      )}
      <Pager skip={search.skip ?? 0} limit={ENTRIES_PER_PAGE} total={data.total} noun="movements" onTurn={turn} />
    </div>
  )
}

function NothingFound({ isNarrowed, isBehind }: { isNarrowed: boolean; isBehind: boolean }) {
  const icon = <ReceiptText aria-hidden="true" />
  if (!isNarrowed && !isBehind) {
    return (
      <EmptyState icon={icon} title="No credits have moved yet">
        What is added, spent or given back will be listed here.
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={icon}
      title={isBehind ? 'This page is empty' : 'No movement matches'}
      action={
        <Link
          from="/usage"
          to="."
          search={({ mode, org, days }) => ({ mode, org, ...(days && { days }) })}
          resetScroll={false}
          className={buttonClass()}
        >
          Show all movements
        </Link>
      }
    >
      {isBehind ? 'There are fewer movements than this page begins at.' : 'None is of this kind, key and time.'}
    </EmptyState>
  )
}

/** A plain link cannot carry the headers that say whose ledger it is, so the file is held here until it is whole. */
function LedgerDownload({ search }: { search: LedgerSearch }) {
  const { probity } = useScene()
  const toasts = useToasts()
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      const blob = await new Response(await probity.ledger.download(filterOf(search))).blob()
      saveFile(new Blob([blob], { type: 'text/csv' }), 'ledger.csv')
    },
    onSuccess: () => toasts.done('ledger.csv is with your browser.'),
    onError: (error) => toasts.failed(`The file could not be made: ${asRequestFailed(error).message}`),
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
