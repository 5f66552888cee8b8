import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Download, ListFilter, Plus } from 'lucide-react'
import { useState } from 'react'
import { asRequestFailed } from '../../api/probity.ts'
import { useMay } from '../../session/may.ts'
import { useScene } from '../../session/scene.ts'
import { Button } from '../../ui/Button.tsx'
import { Callout } from '../../ui/Callout.tsx'
import { Card } from '../../ui/Card.tsx'
import { formatCount } from '../../ui/format.ts'
import { Pager } from '../../ui/Pager.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/States.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { useToasts } from '../../ui/Toasts.tsx'
import { AddListingsDialog } from './AddListingsDialog.tsx'
import { ListingFilters } from './ListingFilters.tsx'
import { ListingTable } from './ListingTable.tsx'
import { LISTINGS_PER_PAGE, listingsQuery } from './listings-query.ts'
import type { ListingsSearch } from './listings-search.ts'

const ABOUT =
  'Addresses and domains about which you have made up your mind. They decide whether to send, and what policies decide. The verdict stays what was found, and costs what it always does.'

/** The organisation's own lists, in both modes. */
export function Listings() {
  const search = useSearch({ from: '/shell/settings/allow-and-block' })
  const mayChange = useMay('settings')
  const [isAdding, setAdding] = useState(false)
  return (
    <>
      {!mayChange && <Callout>Owners and admins can change these lists. You can read them.</Callout>}
      <Card title="Allow & block" about={ABOUT}>
        <div className="flex flex-col gap-4">
          <div className="flex flex-wrap gap-2">
            {mayChange && (
              <Button
                look="primary"
                onClick={() => setAdding(true)}
                icon={<Plus className="size-4" aria-hidden="true" />}
              >
                Add entries
              </Button>
            )}
            <ListingsDownload search={search} />
          </div>
          <ListingFilters {...search} />
          <Found search={search} mayChange={mayChange} />
        </div>
      </Card>
      {isAdding && <AddListingsDialog onClose={() => setAdding(false)} />}
    </>
  )
}

/** What was found stays in sight while it is asked for again, and if that fails. */
function Found({ search, mayChange }: { search: ListingsSearch; mayChange: boolean }) {
  const { data, isError, error, refetch } = useQuery(listingsQuery(useScene(), search))
  const navigate = useNavigate({ from: '/settings/allow-and-block' })
  const turn = (to: number) =>
    void navigate({ search: ({ skip: _, ...now }) => ({ ...now, ...(to > 0 && { skip: to }) }), resetScroll: false })
  if (data === undefined) {
    return isError ? (
      <ErrorState error={error} onRetry={() => void refetch()} what="The lists could not be loaded" />
    ) : (
      <Skeleton lines={5} label="Loading the lists" />
    )
  }
  const isNarrowed = Boolean(search.list || search.search)
  return (
    <div>
      {isError && <Callout kind="warning">This is as last seen: the service did not answer just now.</Callout>}
      <p role="status" className="sr-only">
        {isNarrowed && `${formatCount(data.total, 'entry', 'entries')} found.`}
      </p>
      {data.listings.length === 0 ? (
        <NothingFound isNarrowed={isNarrowed || data.total > 0} />
      ) : (
        <ListingTable listings={data.listings} mayChange={mayChange} />
      )}
      <Pager skip={search.skip ?? 0} limit={LISTINGS_PER_PAGE} total={data.total} noun="entries" onTurn={turn} />
    </div>
  )
}

function NothingFound({ isNarrowed }: { isNarrowed: boolean }) {
  const icon = <ListFilter aria-hidden="true" />
  if (isNarrowed) {
    return (
      <EmptyState icon={icon} title="No entry matches">
        Neither list has an entry like this.
      </EmptyState>
    )
  }
  return (
    <EmptyState icon={icon} title="Nothing is allowed or blocked yet">
      Put partners on the allow list whose mail servers tell nobody anything, and on the block list those who asked not
      to be written to.
    </EmptyState>
  )
}

/** A plain link cannot carry the headers that say whose lists they are, so the file is held here until it is whole. */
function ListingsDownload({ search: { list, search } }: { search: ListingsSearch }) {
  const { probity } = useScene()
  const toasts = useToasts()
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      const blob = await new Response(await probity.listings.download({ list, search })).blob()
      saveFile(new Blob([blob], { type: 'text/csv' }), 'allow-and-block.csv')
    },
    onSuccess: () => toasts.done('allow-and-block.csv is with your browser.'),
    onError: (error) => toasts.failed(`The file could not be made: ${asRequestFailed(error).message}`),
  })
  return (
    <Button busy={isPending} icon={<Download className="size-4" aria-hidden="true" />} onClick={() => mutate()}>
      Download CSV
    </Button>
  )
}
