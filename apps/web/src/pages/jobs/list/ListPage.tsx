import type { BulkJob } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, Navigate } from '@tanstack/react-router'
import { FileX } from 'lucide-react'
import type { ReactNode } from 'react'
import { asRequestFailed } from '../../../session/client.ts'
import { useMay, useScene } from '../../../session/workspace.ts'
import { buttonClass } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { DateTime } from '../../../ui/DateTime.tsx'
import { Page } from '../../../ui/Page.tsx'
import { EmptyState, PageFrame } from '../../../ui/States.tsx'
import { JobStateBadge } from '../lists/ListProgress.tsx'
import { LIST_ROLES } from '../lists/lists-query.ts'
import { Tags } from '../lists/Tags.tsx'
import { FinishedList } from './FinishedList.tsx'
import { useLiveJob } from './follow.ts'
import { LineSum } from './LineSum.tsx'
import { ListActions } from './ListActions.tsx'
import { jobQuery } from './queries.ts'
import { Results } from './Results.tsx'
import { RunningList } from './RunningList.tsx'
import { useListId } from './SearchLink.tsx'

const LISTS = { to: '/lists', name: 'Lists' } as const

/** One list: its progress, then its results. */
export function ListPage() {
  const { query, following } = useLiveJob(useListId())
  const { data: job, error } = query
  if (error && asRequestFailed(error).status === 404) return <NoList />
  if (job === undefined) {
    return (
      <Page title="List" back={LISTS}>
        <Card>
          <PageFrame query={query} failed="The list could not be loaded" loading="Loading the list" lines={6} />
        </Card>
      </Page>
    )
  }
  return <ShownList job={job} query={query} following={following} />
}

type ShownProps = ReturnType<typeof useLiveJob> & { job: BulkJob }

/** Instead of a rerun of unknown rows, its list is shown, unless that was deleted. */
function ShownList({ job, query, following }: ShownProps) {
  const { rerun_of: earlierId, rerun_rows: rows } = job
  const isPart = rows === 'unknown' && earlierId !== null
  const earlier = useQuery({ ...jobQuery(useScene(), earlierId ?? ''), enabled: isPart })
  if (isPart && earlier.data) {
    return (
      <Navigate
        to="/lists/$jobId"
        params={{ jobId: earlier.data.id }}
        search={({ mode, org }) => ({ mode, org })}
        replace
      />
    )
  }
  if (isPart && earlier.isPending) {
    return (
      <Page title="List" back={LISTS}>
        <Card>
          <PageFrame query={earlier} failed="The list could not be loaded" loading="Loading the list" lines={6} />
        </Card>
      </Page>
    )
  }
  const { error } = query
  const isUnderWay = job.finished_at === null
  return (
    <Page
      title={job.name}
      heading={<Heading job={job} />}
      about={<About job={job} />}
      back={LISTS}
      actions={<ListActions job={job} />}
    >
      <Tags tags={job.tags} />
      {error && <Stale onRetry={() => void query.refetch()} />}
      {isUnderWay ? <RunningList job={job} following={following} /> : <FinishedList job={job} />}
      {isUnderWay && job.done_count > 0 && <Results job={job} />}
    </Page>
  )
}

function Heading({ job }: { job: BulkJob }) {
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1.5 [overflow-wrap:anywhere]">
      {job.name} <JobStateBadge status={job.status} />
    </span>
  )
}

function About({ job }: { job: BulkJob }) {
  const mayChange = useMay('jobs:write')
  const { email_column, created_at, name, filename } = job
  return (
    <>
      <span className="block text-pretty">
        <LineSum sum={job} />
      </span>
      Column “{email_column}” · {name !== filename && `file “${filename}” · `}
      <DateTime at={created_at} />
      <Origin job={job} />
      {!mayChange && (
        <span className="mt-1 block">
          You have read-only access to this list. Pausing, canceling and deleting require the role {LIST_ROLES}.
        </span>
      )}
    </>
  )
}

/** A link to the list that this one runs again. */
function Origin({ job: { rerun_of: earlier, rerun_rows: rows } }: { job: BulkJob }) {
  if (earlier === null) return null
  if (rows === 'unknown') return <> · unknown addresses of a deleted list</>
  return (
    <>
      {' '}
      · run again from{' '}
      <Link
        to="/lists/$jobId"
        params={{ jobId: earlier }}
        search={({ mode, org }) => ({ mode, org })}
        className="underline underline-offset-4 hover:text-ink"
      >
        an earlier list
      </Link>
    </>
  )
}

function Stale({ onRetry }: { onRetry(): void }) {
  return (
    <Callout
      kind="warning"
      live
      title="Data may be out of date."
      actions={<TextButton onPress={onRetry}>Try again</TextButton>}
    >
      The service could not be reached.
    </Callout>
  )
}

function TextButton({ onPress, children }: { onPress(): void; children: ReactNode }) {
  return (
    <button type="button" onClick={onPress} className="min-h-6 font-medium underline underline-offset-4">
      {children}
    </button>
  )
}

function NoList() {
  return (
    <Page title="List" back={LISTS}>
      <Card>
        <EmptyState
          icon={<FileX aria-hidden="true" />}
          title="List not found"
          action={
            <Link to="/lists" className={buttonClass('primary')}>
              View all lists
            </Link>
          }
        >
          It was deleted, or it belongs to another account or mode.
        </EmptyState>
      </Card>
    </Page>
  )
}
