import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Download, ReceiptText } from 'lucide-react'
import { asRequestFailed } from '../../../session/probity.ts'
import { useScene } from '../../../session/scene.ts'
import { Button, buttonClass } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { formatCount } from '../../../ui/format.ts'
import { Pager } from '../../../ui/Pager.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../../ui/States.tsx'
import { saveFile } from '../../../ui/save-file.ts'
import { useToasts } from '../../../ui/Toasts.tsx'
import { LedgerFilters } from './LedgerFilters.tsx'
import { EntryCards, LedgerTable } from './LedgerTable.tsx'
import { ENTRIES_PER_PAGE, filterOf, ledgerQuery } from './usage-query.ts'
import type { LedgerSearch } from './usage-search.ts'

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
  const { data, isError, error, refetch } = useQuery(ledgerQuery(useScene(), search))
  const navigate = useNavigate({ from: '/usage' })
  const turn = (to: number) =>
    void navigate({ search: ({ skip: _, ...now }) => ({ ...now, ...(to > 0 && { skip: to }) }), resetScroll: false })
  if (data === undefined) {
    return isError ? (
      <ErrorState what="The credit transactions could not be loaded" error={error} onRetry={() => void refetch()} />
    ) : (
      <Skeleton lines={6} />
    )
  }
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
        <>
          <LedgerTable entries={data.entries} />
          <EntryCards entries={data.entries} />
        </>
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
