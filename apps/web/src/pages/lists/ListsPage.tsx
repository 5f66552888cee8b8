import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Plus, SearchX } from 'lucide-react'
import { useMay } from '../../session/may.ts'
import { useScene } from '../../session/scene.ts'
import { buttonClass } from '../../ui/Button.tsx'
import { Callout } from '../../ui/Callout.tsx'
import { formatCount } from '../../ui/format.ts'
import { Page } from '../../ui/Page.tsx'
import { Pager } from '../../ui/Pager.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/States.tsx'
import { LIST_ROLES } from './list-roles.ts'
import { Drafts } from './overview/Drafts.tsx'
import { FirstList } from './overview/FirstList.tsx'
import { ListFilters } from './overview/ListFilters.tsx'
import { ListCards, ListsTable } from './overview/ListsTable.tsx'
import { LISTS_PER_PAGE, listsQuery } from './overview/lists-query.ts'

/** All lists of the organisation, newest first, and the drafts above them. */
export function ListsPage() {
  const mayMake = useMay('jobs:write')
  return (
    <Page
      title="Lists"
      about="Files of addresses: what was validated, what is under way, and what waits to be confirmed."
      actions={mayMake && <NewListLink />}
    >
      {!mayMake && <Callout>Your role is viewer: you can read lists. Making one needs the role {LIST_ROLES}.</Callout>}
      <Drafts />
      <Overview />
    </Page>
  )
}

function NewListLink() {
  return (
    <Link to="/lists/new" className={buttonClass('primary')}>
      <Plus className="size-4" aria-hidden="true" />
      New list
    </Link>
  )
}

function Overview() {
  const search = useSearch({ from: '/shell/lists' })
  const query = useQuery(listsQuery(useScene(), search))
  const isNarrowed = Boolean(search.status || search.search)
  if (query.data?.total === 0 && !isNarrowed) return <FirstList />
  return (
    <div className="flex flex-col gap-4">
      <ListFilters {...search} />
      <Found query={query} isNarrowed={isNarrowed} />
    </div>
  )
}

type FoundProps = { query: ReturnType<typeof useLists>; isNarrowed: boolean }
const useLists = () => useQuery(listsQuery(useScene(), {}))

/** What was found stays in sight while it is asked for again, and if that fails. */
function Found({ query: { data, isError, error, refetch }, isNarrowed }: FoundProps) {
  const { skip = 0 } = useSearch({ from: '/shell/lists' })
  const navigate = useNavigate({ from: '/lists' })
  const turn = (to: number) =>
    void navigate({ search: ({ skip: _, ...now }) => ({ ...now, ...(to > 0 && { skip: to }) }) })
  if (data === undefined) {
    return isError ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton lines={6} />
  }
  return (
    <div>
      {isError && (
        <Callout kind="warning">These are the lists as last seen: the service did not answer just now.</Callout>
      )}
      <p role="status" className="sr-only">
        {isNarrowed && `${formatCount(data.total, 'list')} found.`}
      </p>
      {data.lists.length === 0 ? (
        <NothingFound isNarrowed={isNarrowed} />
      ) : (
        <>
          <ListsTable lists={data.lists} />
          <ListCards lists={data.lists} />
        </>
      )}
      <Pager skip={skip} limit={LISTS_PER_PAGE} total={data.total} noun="lists" onTurn={turn} />
    </div>
  )
}

function NothingFound({ isNarrowed }: { isNarrowed: boolean }) {
  return (
    <EmptyState
      icon={<SearchX aria-hidden="true" />}
      title={isNarrowed ? 'No list matches' : 'This page is empty'}
      action={
        <Link to="/lists" search={(now) => ({ mode: now.mode, org: now.org })} className={buttonClass()}>
          Show all lists
        </Link>
      }
    >
      {isNarrowed ? 'No list has such a name and status.' : 'There are fewer lists than this page begins at.'}
    </EmptyState>
  )
}
