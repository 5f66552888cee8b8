import type { RequestLogEntry } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { ArrowLeft, ArrowRight, Pause, Play, ScrollText, Search, SearchX } from 'lucide-react'
import { useEffect, useId, useState } from 'react'
import { useScene } from '../../../session/workspace.ts'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { CodeTabs } from '../../../ui/Code.tsx'
import { SelectInput, TextInput } from '../../../ui/Field.tsx'
import { formatCount } from '../../../ui/format.ts'
import { Page } from '../../../ui/Page.tsx'
import { EmptyState, PageFrame } from '../../../ui/States.tsx'
import { validateSnippets } from '../keys/validate-snippets.ts'
import { CLASS_LABELS, isMinute, isStatusClass, type RequestsSearch, readRequestId } from '../search.ts'
import { keyLabel, usageQuery } from '../usage/usage-query.ts'
import { RequestDrawer } from './RequestDrawer.tsx'
import { RequestsTable } from './RequestsTable.tsx'
import { requestsQuery, useRequestsSearch } from './requests-query.ts'

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
function Found(query: FoundProps) {
  const { data, error, isPlaceholderData } = query
  const { search } = useRequestsSearch()
  if (data === undefined) {
    return <PageFrame query={query} failed="The requests could not be loaded" loading="Loading requests" lines={6} />
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

/** Filters are kept in the URL. A change starts at the newest request. */
function RequestFilters({ codes }: { codes: string[] }) {
  const { search, turn } = useRequestsSearch()
  const { cursor: _, request: __, class: statusClass = '', code = '', ...rest } = search
  const narrow = (change: RequestsSearch) =>
    turn(
      { ...rest, ...(isStatusClass(statusClass) && { class: statusClass }), ...(code && { code }), ...change },
      { replace: true },
    )
  return (
    <search className="grid grid-cols-1 gap-2 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-[1.4fr_1.2fr_1.2fr_1.4fr_1.4fr]">
      <SelectInput
        aria-label="Status class"
        value={statusClass}
        onChange={({ target: { value } }) => narrow(isStatusClass(value) ? { class: value } : without('class'))}
      >
        <option value="">All statuses</option>
        {Object.entries(CLASS_LABELS).map(([value, word]) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </SelectInput>
      <SelectInput
        aria-label="Problem code"
        value={code}
        onChange={({ target: { value } }) => narrow(value ? { code: value } : without('code'))}
      >
        <option value="">All codes</option>
        {[...new Set([...codes, ...(code ? [code] : [])])].map((value) => (
          <option key={value}>{value}</option>
        ))}
      </SelectInput>
      <KeyFilter chosen={search.key} onChoose={(key) => narrow(key ? { key } : without('key'))} />
      <TimeInput label="From" value={search.from} onChange={(from) => narrow(from ? { from } : without('from'))} />
      <TimeInput label="To" value={search.to} onChange={(to) => narrow(to ? { to } : without('to'))} />
    </search>
  )
}

/** An undefined value removes the parameter from the URL. */
function without(name: keyof RequestsSearch): RequestsSearch {
  return { [name]: undefined }
}

/** Keys used in the last 30 days, and the key in the URL. */
function KeyFilter({ chosen = '', onChoose }: { chosen: string | undefined; onChoose(key: string): void }) {
  const { data } = useQuery(usageQuery(useScene(), 30, 'key'))
  const used = (data?.keys ?? []).flatMap((key) =>
    key.key_id === null ? [] : [{ id: key.key_id, label: keyLabel(key) }],
  )
  const isMissing = chosen !== '' && !used.some(({ id }) => id === chosen)
  const choices = isMissing ? [...used, { id: chosen, label: keyLabel({ key_id: chosen, key_name: null }) }] : used
  return (
    <SelectInput aria-label="Key" value={chosen} onChange={({ target }) => onChoose(target.value)}>
      <option value="">All keys</option>
      {choices.map(({ id, label }) => (
        <option key={id} value={id}>
          {label}
        </option>
      ))}
    </SelectInput>
  )
}

type TimeProps = { label: string; value: string | undefined; onChange(minute: string): void }

function TimeInput({ label, value = '', onChange }: TimeProps) {
  const id = useId()
  const [text, setText] = useState(value)
  // The URL also changes by back, forward and links that clear it.
  useEffect(() => setText(value), [value])
  const type = (minute: string) => {
    setText(minute)
    if (minute === '' || isMinute(minute)) onChange(minute) // a partly typed year is not a valid minute
  }
  return (
    <div className="flex items-center gap-2">
      <label htmlFor={id} className="w-10 shrink-0 text-[0.8125rem] text-soft lg:w-auto">
        {label}
      </label>
      <TextInput
        id={id}
        type="datetime-local"
        value={text}
        onChange={({ target }) => type(target.value)}
        className="min-w-0"
      />
    </div>
  )
}

/** Opens a request by its ID, which may be pasted with surrounding text. */
function FindRequest() {
  const { search, turn } = useRequestsSearch()
  const id = useId()
  const [text, setText] = useState('')
  const [isUnread, setUnread] = useState(false)
  const find = (pasted: string) => {
    const request = readRequestId(pasted)
    setUnread(request === undefined)
    if (request) turn({ ...search, request })
  }
  return (
    <form
      className="flex w-full flex-col gap-1 sm:w-auto"
      onSubmit={(event) => {
        event.preventDefault()
        find(text)
      }}
    >
      <div className="flex items-center gap-2">
        <TextInput
          aria-label="Request ID"
          placeholder="req_…"
          value={text}
          aria-invalid={isUnread}
          aria-describedby={isUnread ? id : undefined}
          onChange={({ target }) => {
            setText(target.value)
            setUnread(false)
          }}
          className="min-w-0 font-mono text-[0.8125rem] sm:w-64"
        />
        <Button type="submit" icon={<Search className="size-4" aria-hidden="true" />}>
          Find request
        </Button>
      </div>
      {isUnread && (
        <p id={id} role="alert" className="text-[0.8125rem] text-invalid">
          No request ID found. A request ID consists of req_ and 36 characters.
        </p>
      )}
    </form>
  )
}
