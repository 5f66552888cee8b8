import { jobStatusLabel } from '@probity/contract/constants/labels'
import type { Upload } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { FileText, ListChecks, Plus, SearchX, Trash2, X } from 'lucide-react'
import { useMay, useScene } from '../../../session/workspace.ts'
import { Button, buttonClass, IconButton } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { SearchField, SelectInput } from '../../../ui/Field.tsx'
import { formatCount, formatDateTime } from '../../../ui/format.ts'
import { Page } from '../../../ui/Page.tsx'
import { EmptyState, PageFrame } from '../../../ui/States.tsx'
import { Pager } from '../../../ui/Table.tsx'
import { UploadPanel } from '../new-list/UploadPanel.tsx'
import type { ListsSearch } from '../search.ts'
import { DiscardDialog, useDiscard } from './DiscardDialog.tsx'
import { ListsTable } from './ListsTable.tsx'
import { draftsQuery, LIST_ROLES, LISTS_PER_PAGE, listsQuery } from './lists-query.ts'

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
  const isNarrowed = Boolean(search.status || search.search || search.tag)
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
function Found({ query, isNarrowed }: FoundProps) {
  const { data, isError } = query
  const { skip = 0 } = useSearch({ from: '/shell/lists' })
  const navigate = useNavigate({ from: '/lists' })
  const turn = (to: number) =>
    void navigate({ search: ({ skip: _, ...now }) => ({ ...now, ...(to > 0 && { skip: to }) }) })
  if (data === undefined) return <PageFrame query={query} failed="The lists could not be loaded" lines={6} />
  return (
    <div>
      {isError && <Callout kind="warning">The data could not be refreshed. It may be out of date.</Callout>}
      <p role="status" className="sr-only">
        {isNarrowed && `${formatCount(data.total, 'list')} found.`}
      </p>
      {data.lists.length === 0 ? <NothingFound isNarrowed={isNarrowed} /> : <ListsTable lists={data.lists} />}
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

/** Shown instead of an empty table. */
function FirstList() {
  const { mode } = useScene()
  if (!useMay('jobs:write')) {
    return <EmptyState icon={<ListChecks aria-hidden="true" />} title="No lists yet" />
  }
  return (
    <section aria-labelledby="first-list" className="mx-auto flex w-full max-w-3xl flex-col gap-4">
      <h2 id="first-list" className="text-base font-semibold">
        {mode === 'test' ? 'No lists in test mode yet' : 'No lists yet'}
      </h2>
      <UploadPanel />
    </section>
  )
}

const STATES = [
  { value: 'queued,planning,processing', label: 'In progress' },
  ...['paused', 'completed', 'canceled', 'failed'].map((value) => ({ value, label: jobStatusLabel(value) })),
]

/** The maximum length of a file name. */
const NAME_MAX = 200

/** The filters are kept in the URL, so that a link opens the same view. */
function ListFilters({ status, search, tag }: ListsSearch) {
  const navigate = useNavigate({ from: '/lists' })
  const narrow = (change: Partial<ListsSearch>) => {
    void navigate({
      search: ({ skip: _, ...now }) => dropEmpty({ ...now, ...change }),
      replace: true,
      resetScroll: false,
    })
  }
  return (
    <search className="flex flex-wrap gap-2">
      <SearchField
        label="Search by name"
        value={search ?? ''}
        maxLength={NAME_MAX}
        onChange={(text) => narrow({ search: text })}
      />
      <SelectInput
        aria-label="Status"
        value={status ?? ''}
        onChange={({ target }) => narrow({ status: target.value })}
        className="w-auto! flex-1 sm:flex-none"
      >
        <option value="">All statuses</option>
        {STATES.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectInput>
      {tag !== undefined && (
        <Button icon={<X className="size-4" aria-hidden="true" />} onClick={() => narrow({ tag: '' })}>
          Tag: {tag}
          <span className="sr-only">, remove this filter</span>
        </Button>
      )}
    </search>
  )
}

function dropEmpty<T extends Partial<ListsSearch>>(search: T): T {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== '')) as T
}

/** Uploads that are not confirmed yet, above the lists. */
function Drafts() {
  const scene = useScene()
  const { data: drafts = [], isError, refetch } = useQuery(draftsQuery(scene))
  const discard = useDiscard({ onGone: () => document.getElementById('main')?.focus() })
  if (isError) return <DraftsFailed onRetry={() => void refetch()} />
  if (drafts.length === 0) return null
  return (
    <section aria-labelledby="drafts" className="rounded-lg border border-line bg-surface shadow-card">
      <header className="px-4 pt-3">
        <h2 id="drafts" className="font-semibold">
          Drafts
        </h2>
        <p className="text-[0.8125rem] text-soft">Uploaded but not confirmed. No credits have been charged.</p>
      </header>
      <ul className="divide-y divide-line px-4">
        {drafts.map((draft) => (
          <DraftRow key={draft.upload_id} draft={draft} onDiscard={() => discard.askFor(draft)} />
        ))}
      </ul>
      <DiscardDialog {...discard} />
    </section>
  )
}

function DraftRow({ draft, onDiscard }: { draft: Upload; onDiscard(): void }) {
  const mayMake = useMay('jobs:write')
  const { upload_id: upload, filename, row_count: rows, expires_at: expiresAt } = draft
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-3">
      <FileText className="size-4 shrink-0 text-faint" aria-hidden="true" />
      <div className="min-w-0 flex-1 basis-48">
        <p className="font-medium [overflow-wrap:anywhere]">{filename}</p>
        <p className="text-[0.8125rem] text-soft">
          {formatCount(rows, 'row')}, expires {formatDateTime(expiresAt)}
        </p>
      </div>
      {mayMake && (
        <div className="ms-auto flex gap-1">
          <Link to="/lists/new" search={{ upload }} className={buttonClass('secondary', 'sm')}>
            Continue<span className="sr-only"> with {filename}</span>
          </Link>
          <IconButton size="sm" label={`Discard ${filename}`} onClick={onDiscard}>
            <Trash2 aria-hidden="true" />
          </IconButton>
        </div>
      )}
    </li>
  )
}

function DraftsFailed({ onRetry }: { onRetry(): void }) {
  return (
    <Callout
      kind="warning"
      actions={
        <Button size="sm" onClick={onRetry}>
          Try again
        </Button>
      }
    >
      Drafts could not be loaded. The lists below are not affected.
    </Callout>
  )
}
