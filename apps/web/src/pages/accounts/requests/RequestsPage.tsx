import type { RequestLogEntry } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { ArrowLeft, ArrowRight, Pause, Play, ScrollText, SearchX } from 'lucide-react'
import { useState } from 'react'
import { useScene } from '../../../session/scene.ts'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { CodeTabs } from '../../../ui/Code.tsx'
import { formatCount } from '../../../ui/format.ts'
import { Page } from '../../../ui/Page.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../../ui/States.tsx'
import { validateSnippets } from '../keys/validate-snippets.ts'
import { RequestDrawer } from './RequestDrawer.tsx'
import { FindRequest, RequestFilters } from './RequestFilters.tsx'
import { RequestsTable } from './RequestsTable.tsx'
import { requestsQuery } from './requests-query.ts'
import type { RequestsSearch } from './requests-search.ts'
import { useRequestsSearch } from './use-requests-search.ts'

/** The request log of the account, updated live. */
export function RequestsPage() {
  const { search } = useRequestsSearch()
  const [isFollowed, setFollowed] = useState(true)
  const query = useQuery(requestsQuery(useScene(), search, isFollowed))
  const { data } = query
  const days = data?.retentionDays
  return (
    <Page
      title="Requests"
      about={`API requests made with this account’s keys, newest first.${days ? ` Retention: ${formatCount(days, 'day')}. Addresses are not stored.` : ''}`}
      actions={<FindRequest />}
    >
      <Card
        title="Request log"
        actions={search.cursor === undefined && <Follow isFollowed={isFollowed} onChange={setFollowed} />}
      >
        <div className="flex flex-col gap-4">
          <RequestFilters codes={codesIn(data?.data ?? [])} />
          <Found {...query} />
        </div>
      </Card>
      <RequestDrawer />
    </Page>
  )
}

function codesIn(requests: RequestLogEntry[]): string[] {
  return [...new Set(requests.flatMap(({ code }) => (code === null ? [] : [code])))].toSorted()
}

function Follow({ isFollowed, onChange }: { isFollowed: boolean; onChange(isFollowed: boolean): void }) {
  const Icon = isFollowed ? Pause : Play
  return (
    <>
      <span role="status" className="text-[0.8125rem] text-soft">
        {isFollowed ? 'New requests appear automatically.' : 'Updates paused.'}
      </span>
      <Button size="sm" onClick={() => onChange(!isFollowed)} icon={<Icon className="size-4" aria-hidden="true" />}>
        {isFollowed ? 'Pause updates' : 'Resume updates'}
      </Button>
    </>
  )
}

type FoundProps = Pick<
  ReturnType<typeof useQuery<{ data: RequestLogEntry[]; nextCursor: string | null; retentionDays: number }>>,
  'data' | 'error' | 'isPlaceholderData' | 'refetch'
>

/** Requests stay visible while they are refetched, and if that fails. */
function Found({ data, error, isPlaceholderData, refetch }: FoundProps) {
  const { search } = useRequestsSearch()
  if (data === undefined) {
    if (error === null) return <Skeleton lines={6} label="Loading requests" />
    return <ErrorState error={error} onRetry={() => void refetch()} what="The requests could not be loaded" />
  }
  const { data: requests, nextCursor: next } = data
  return (
    <div className={clsx('transition-opacity', isPlaceholderData && 'opacity-60')} aria-busy={isPlaceholderData}>
      {error && <Callout kind="warning">The requests could not be refreshed. They may be out of date.</Callout>}
      {requests.length > 0 ? (
        <RequestsTable requests={requests} />
      ) : (
        <Nothing search={search} hasMore={next !== null} retentionDays={data.retentionDays} />
      )}
      <Turn next={next} />
    </div>
  )
}

/** Links to older requests and back to the newest. */
function Turn({ next }: { next: string | null }) {
  const { search, turn } = useRequestsSearch()
  const { cursor, request: _, ...filter } = search
  if (next === null && cursor === undefined) return null
  return (
    <nav aria-label="Pages of requests" className="flex justify-between gap-2 pt-4">
      <Button
        size="sm"
        disabled={cursor === undefined}
        icon={<ArrowLeft className="size-4" aria-hidden="true" />}
        onClick={() => turn(filter)}
      >
        Newest
      </Button>
      <Button
        size="sm"
        disabled={next === null}
        icon={<ArrowRight className="size-4" aria-hidden="true" />}
        onClick={() => next && turn({ ...filter, cursor: next })}
      >
        Older
      </Button>
    </nav>
  )
}

type NothingProps = { search: RequestsSearch; hasMore: boolean; retentionDays: number }

function Nothing({ search, hasMore, retentionDays }: NothingProps) {
  const { turn } = useRequestsSearch()
  const { mode } = useScene()
  const { request: _, ...filter } = search
  if (Object.keys(filter).length > 0) {
    return (
      <EmptyState
        icon={<SearchX aria-hidden="true" />}
        title={hasMore ? 'No matches so far' : 'No requests match these filters'}
        action={<Button onClick={() => turn({})}>Show all requests</Button>}
      >
        {hasMore && <p>No match in the last 50,000 requests. Select Older to search further back.</p>}
      </EmptyState>
    )
  }
  if (retentionDays === 0) {
    return (
      <EmptyState icon={<ScrollText aria-hidden="true" />} title="Request log disabled">
        <p>The operator of this installation has disabled the request log.</p>
      </EmptyState>
    )
  }
  const email = mode === 'test' ? 'valid@example.com' : 'ada@example.com'
  return (
    <div className="mx-auto max-w-2xl pb-4">
      <EmptyState icon={<ScrollText aria-hidden="true" />} title={`No requests in ${mode} mode yet`}>
        <p>Requests made with {mode} mode keys appear here within about a second. Send an example request:</p>
      </EmptyState>
      <CodeTabs label="Example request" snippets={validateSnippets({ host: window.location.origin, email })} />
    </div>
  )
}
