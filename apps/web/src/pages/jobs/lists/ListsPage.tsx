import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Plus, SearchX } from 'lucide-react'
import { useMay } from '../../../session/may.ts'
import { useScene } from '../../../session/scene.ts'
import { buttonClass } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { formatCount } from '../../../ui/format.ts'
import { Page } from '../../../ui/Page.tsx'
import { Pager } from '../../../ui/Pager.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../../ui/States.tsx'
import { Drafts } from './Drafts.tsx'
import { FirstList } from './FirstList.tsx'
import { ListFilters } from './ListFilters.tsx'
import { ListCards, ListsTable } from './ListsTable.tsx'
import { LIST_ROLES } from './list-roles.ts'
import { LISTS_PER_PAGE, listsQuery } from './lists-query.ts'

/** All lists of the account, newest first, with the drafts above them. */
export function ListsPage() {
  const mayMake = useMay('jobs:write')
  return (
    <Page
      title="Lists"
      about="Uploaded lists: completed, in progress and awaiting confirmation."
      actions={mayMake && <NewListLink />}
    >
      {!mayMake && <Callout>You have read-only access to lists. Creating one requires the role {LIST_ROLES}.</Callout>}
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

/** The loaded lists stay visible while they are refreshed, and if that fails. */
function Found({ query: { data, isError, error, refetch }, isNarrowed }: FoundProps) {
  const { skip = 0 } = useSearch({ from: '/shell/lists' })
  const navigate = useNavigate({ from: '/lists' })
  const turn = (to: number) =>
    void navigate({ search: ({ skip: _, ...now }) => ({ ...now, ...(to > 0 && { skip: to }) }) })
  if (data === undefined) {
    return isError ? (
      <ErrorState what="The lists could not be loaded" error={error} onRetry={() => void refetch()} />
    ) : (
      <Skeleton lines={6} />
    )
  }
  return (
    <div>
      {isError && <Callout kind="warning">The data could not be refreshed. It may be out of date.</Callout>}
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
      title={isNarrowed ? 'No lists match these filters' : 'This page is empty'}
      action={
        <Link to="/lists" search={(now) => ({ mode: now.mode, org: now.org })} className={buttonClass()}>
          Show all lists
        </Link>
      }
    >
      {isNarrowed ? 'Change or clear the filters.' : 'There are fewer lists than this page number requires.'}
    </EmptyState>
  )
}
