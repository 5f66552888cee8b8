import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Download, ListFilter, Plus } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '../../../session/may.ts'
import { asRequestFailed } from '../../../session/probity.ts'
import { useScene } from '../../../session/scene.ts'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { formatCount } from '../../../ui/format.ts'
import { Pager } from '../../../ui/Pager.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../../ui/States.tsx'
import { saveFile } from '../../../ui/save-file.ts'
import { useToasts } from '../../../ui/Toasts.tsx'
import { AddOverridesDialog } from './AddOverridesDialog.tsx'
import { OverrideFilters } from './OverrideFilters.tsx'
import { OverrideTable } from './OverrideTable.tsx'
import { OVERRIDES_PER_PAGE, overridesQuery } from './overrides-query.ts'
import type { OverridesSearch } from './overrides-search.ts'

const ABOUT =
  'Addresses and domains to always allow or always block. Entries determine safe to send and policy decisions. Verdicts and charges do not change.'

/** The overrides of the account, which apply in live and test mode. */
export function Overrides() {
  const search = useSearch({ from: '/shell/settings/allow-and-block' })
  const mayChange = useMay('account:write')
  const [isAdding, setAdding] = useState(false)
  return (
    <>
      {!mayChange && <Callout>Read-only. Owners and admins can change these lists.</Callout>}
      <Card title="Allow & block lists" about={ABOUT}>
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
            <OverridesDownload search={search} />
          </div>
          <OverrideFilters {...search} />
          <Found search={search} mayChange={mayChange} />
        </div>
      </Card>
      {isAdding && <AddOverridesDialog onClose={() => setAdding(false)} />}
    </>
  )
}

/** Entries stay visible while they are refetched, and if that fails. */
function Found({ search, mayChange }: { search: OverridesSearch; mayChange: boolean }) {
  const { data, isError, error, refetch } = useQuery(overridesQuery(useScene(), search))
  const navigate = useNavigate({ from: '/settings/allow-and-block' })
  const turn = (to: number) =>
    void navigate({ search: ({ skip: _, ...now }) => ({ ...now, ...(to > 0 && { skip: to }) }), resetScroll: false })
  if (data === undefined) {
    return isError ? (
      <ErrorState error={error} onRetry={() => void refetch()} what="The entries could not be loaded" />
    ) : (
      <Skeleton lines={5} label="Loading entries" />
    )
  }
  const isNarrowed = Boolean(search.action || search.search)
  return (
    <div>
      {isError && <Callout kind="warning">The data could not be refreshed. It may be out of date.</Callout>}
      <p role="status" className="sr-only">
        {isNarrowed && `${formatCount(data.total, 'entry', 'entries')} found.`}
      </p>
      {data.overrides.length === 0 ? (
        <NothingFound isNarrowed={isNarrowed || data.total > 0} />
      ) : (
        <OverrideTable overrides={data.overrides} mayChange={mayChange} />
      )}
      <Pager skip={search.skip ?? 0} limit={OVERRIDES_PER_PAGE} total={data.total} noun="entries" onTurn={turn} />
    </div>
  )
}

function NothingFound({ isNarrowed }: { isNarrowed: boolean }) {
  const icon = <ListFilter aria-hidden="true" />
  if (isNarrowed) {
    return (
      <EmptyState icon={icon} title="No entries match these filters">
        Change or clear the filters.
      </EmptyState>
    )
  }
  return (
    <EmptyState icon={icon} title="No entries yet">
      Allow partners whose mail servers reject probes. Block recipients who unsubscribed.
    </EmptyState>
  )
}

/** A plain link cannot send the account header, so the file is downloaded in memory first. */
function OverridesDownload({ search: { action, search } }: { search: OverridesSearch }) {
  const { probity } = useScene()
  const toasts = useToasts()
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      const blob = await new Response(await probity.overrides.download({ action, search })).blob()
      saveFile(new Blob([blob], { type: 'text/csv' }), 'allow-and-block.csv')
    },
    onSuccess: () => toasts.done('allow-and-block.csv downloaded.'),
    onError: (error) => toasts.failed(`The file could not be downloaded. ${asRequestFailed(error).message}`),
  })
  return (
    <Button busy={isPending} icon={<Download className="size-4" aria-hidden="true" />} onClick={() => mutate()}>
      Download CSV
    </Button>
  )
}
