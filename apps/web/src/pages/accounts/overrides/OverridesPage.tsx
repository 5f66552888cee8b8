import { OVERRIDES_AT_ONCE_MAX } from '@probity/contract/constants/policies'
import type { Override } from '@probity/sdk'
import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Ban, Download, Handshake, ListFilter, Plus, Trash2 } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { asRequestFailed, RequestFailed, saveFile } from '../../../session/client.ts'
import { type Scene, useMay, useScene } from '../../../session/workspace.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { DateTime } from '../../../ui/DateTime.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field, TextArea, TextInput } from '../../../ui/Field.tsx'
import { FormSummary, useSubmit } from '../../../ui/Form.tsx'
import { formatCount } from '../../../ui/format.ts'
import { Segments } from '../../../ui/Segments.tsx'
import { EmptyState, PageFrame } from '../../../ui/States.tsx'
import { type Column, DataTable, Pager } from '../../../ui/Table.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'
import type { OverridesSearch } from '../search.ts'

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
  const query = useQuery(overridesQuery(useScene(), search))
  const { data, isError } = query
  const navigate = useNavigate({ from: '/settings/allow-and-block' })
  const turn = (to: number) =>
    void navigate({ search: ({ skip: _, ...now }) => ({ ...now, ...(to > 0 && { skip: to }) }), resetScroll: false })
  if (data === undefined)
    return <PageFrame query={query} failed="The entries could not be loaded" loading="Loading entries" lines={5} />
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

const CHOICES = [
  { value: 'both', label: 'Both lists' },
  { value: 'allow', label: 'Allowed' },
  { value: 'block', label: 'Blocked' },
] as const

/** The search starts after a typing pause of this length. */
const TYPING_MS = 300

/** Filters are kept in the URL, so that a link opens the same view. */
function OverrideFilters({ action, search = '' }: OverridesSearch) {
  const navigate = useNavigate({ from: '/settings/allow-and-block' })
  const [text, setText] = useState(search)
  // The URL also changes by back, forward and links.
  useEffect(() => setText(search), [search])
  useEffect(() => {
    if (text.trim() === search) return
    const timer = setTimeout(() => {
      void navigate({
        search: ({ skip: _, search: __, ...now }) => ({ ...now, ...(text.trim() !== '' && { search: text.trim() }) }),
        replace: true,
        resetScroll: false,
      })
    }, TYPING_MS)
    return () => clearTimeout(timer)
  }, [text, search, navigate])
  const choose = (next: (typeof CHOICES)[number]['value']) =>
    void navigate({
      search: ({ skip: _, action: __, ...now }) => ({ ...now, ...(next !== 'both' && { action: next }) }),
      replace: true,
      resetScroll: false,
    })
  return (
    <search className="flex flex-wrap items-center gap-2">
      <Segments label="List" value={action ?? 'both'} choices={CHOICES} onChange={choose} />
      <TextInput
        type="search"
        aria-label="Search entries"
        placeholder="Search entries"
        value={text}
        maxLength={320}
        onChange={({ target }) => setText(target.value)}
        className="min-w-40 flex-1"
      />
    </search>
  )
}

const COLUMNS: Column<Override>[] = [
  { head: 'Entry', className: '[overflow-wrap:anywhere]', cell: (override) => <Entry of={override} /> },
  { head: 'List', cell: ({ action }) => <ActionBadge action={action} /> },
  {
    head: 'Added',
    className: 'text-soft',
    cell: ({ created_at: at, created_by: by }) => (
      <>
        <DateTime at={at} />
        {by !== null && <p className="text-[0.8125rem]">{by}</p>}
      </>
    ),
  },
]

const REMOVE_COLUMN: Column<Override> = {
  head: 'Remove',
  isHeadHidden: true,
  align: 'end',
  cell: (override) => <RemoveButton override={override} />,
}

function OverrideTable({ overrides, mayChange }: { overrides: Override[]; mayChange: boolean }) {
  return (
    <DataTable
      caption="Allowed and blocked"
      columns={[...COLUMNS, mayChange && REMOVE_COLUMN]}
      rows={overrides}
      keyOf={({ id }) => id}
      card={(override) => (
        <div className="flex items-start justify-between gap-3 [overflow-wrap:anywhere]">
          <div className="min-w-0">
            <Entry of={override} />
            <p className="mt-1">
              <ActionBadge action={override.action} />
            </p>
          </div>
          {mayChange && <RemoveButton override={override} />}
        </div>
      )}
    />
  )
}

function Entry({ of: { target, note } }: { of: Override }) {
  return (
    <>
      <span className="font-medium">{target}</span>
      {!target.includes('@') && <span className="text-faint"> (entire domain)</span>}
      {note !== '' && <p className="text-[0.8125rem] text-soft">{note}</p>}
    </>
  )
}

function ActionBadge({ action }: Pick<Override, 'action'>) {
  return action === 'allow' ? (
    <Badge tone="valid" icon={<Handshake aria-hidden="true" />}>
      Allowed
    </Badge>
  ) : (
    <Badge tone="invalid" icon={<Ban aria-hidden="true" />}>
      Blocked
    </Badge>
  )
}

/** Removes without confirmation: an entry can be added again easily. */
function RemoveButton({ override: { id, target } }: { override: Override }) {
  const { probity } = useScene()
  const toasts = useToasts()
  const refresh = useRefreshOverrides()
  const { mutate, isPending } = useMutation({
    mutationFn: () => probity.overrides.delete(id),
    onSuccess: async () => {
      toasts.done(`${target} removed.`)
      // The row and its focus disappear, so the focus moves to the search field.
      document.querySelector<HTMLElement>('search input[type=search]')?.focus()
      await refresh()
    },
    onError: (error) => toasts.failed(`The entry could not be removed. ${asRequestFailed(error).message}`),
  })
  return (
    <IconButton label={`Remove ${target}`} size="sm" disabled={isPending} onClick={() => mutate()}>
      <Trash2 />
    </IconButton>
  )
}

const ACTIONS = [
  { value: 'block', label: 'Block' },
  { value: 'allow', label: 'Allow' },
] as const

type Values = { action: 'allow' | 'block'; targets: string; note: string }

/** Allows or blocks one or many targets. */
function AddOverridesDialog({ onClose }: { onClose(): void }) {
  const add = useAdd(onClose)
  const form = useForm<Values>({ defaultValues: { action: 'block', targets: '', note: '' }, shouldFocusError: false })
  const submit = useSubmit(form, add)
  const { errors, isSubmitting, isDirty } = form.formState
  return (
    <Dialog
      open
      onClose={onClose}
      mayClose={() => !isDirty || !isSubmitting}
      title="Add entries"
      about="Takes effect with the next request. Stored list results do not change."
    >
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <FormSummary form={form} />
        <div>
          <Segments
            label="List"
            value={form.watch('action')}
            choices={ACTIONS}
            onChange={(action) => form.setValue('action', action)}
          />
        </div>
        <Field
          label="Addresses and domains"
          hint="One per line. A domain covers all its addresses, but not its subdomains."
          error={errors.targets?.message}
        >
          {(ids) => (
            <TextArea
              {...ids}
              {...form.register('targets', { validate: (text) => linesOf(text).length > 0 || NOTHING })}
              spellCheck={false}
              autoComplete="off"
              autoCapitalize="off"
              rows={6}
              className="font-mono text-[0.8125rem]"
            />
          )}
        </Field>
        <Field
          label="Note"
          optional
          hint="Reason for the entries, visible to other members."
          error={errors.note?.message}
        >
          {(ids) => <TextInput {...ids} {...form.register('note')} maxLength={200} autoComplete="off" />}
        </Field>
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={isSubmitting}>
            Add entries
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const NOTHING = 'Enter at least one address or domain.'

function linesOf(text: string): string[] {
  return text
    .split(/[\n,;]/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

function useAdd(onDone: () => void) {
  const { probity } = useScene()
  const toasts = useToasts()
  const refresh = useRefreshOverrides()
  return async ({ action, targets, note }: Values) => {
    const lines = linesOf(targets)
    let added = 0
    for (let from = 0; from < lines.length; from += OVERRIDES_AT_ONCE_MAX) {
      const some = lines.slice(from, from + OVERRIDES_AT_ONCE_MAX)
      const options = { action, targets: some, note: note.trim() || undefined }
      const result = await probity.overrides.create(options).catch((error: unknown) => {
        void refresh()
        throw nameLines(error, lines, from)
      })
      added += result.added + result.moved
    }
    await refresh()
    toasts.done(`${formatCount(added, 'entry', 'entries')} ${action === 'allow' ? 'allowed' : 'blocked'}.`)
    onDone()
  }
}

/** The API points at array positions; the form has one field, so the error quotes the lines. */
function nameLines(error: unknown, lines: string[], from: number): RequestFailed {
  const failed = asRequestFailed(error)
  const wrong = failed.fields.flatMap(({ pointer }) => {
    const place = /^\/targets\/(\d+)/.exec(pointer)?.[1]
    return place === undefined ? [] : [`“${lines[from + Number(place)] ?? ''}”`]
  })
  if (wrong.length === 0) return failed
  const { status, code, message } = failed
  const before = from > 0 ? ` The first ${formatCount(from, 'line')} were added.` : ''
  const detail = `Not an address or a domain: ${wrong.slice(0, 5).join(', ')}.${before}`
  return new RequestFailed({ status, code, message, fields: [{ pointer: '/targets', detail }] })
}

const OVERRIDES_PER_PAGE = 20

const overridesKey = ({ key }: Scene) => [...key, 'overrides'] as const

function overridesQuery(scene: Scene, { action, search, skip = 0 }: OverridesSearch) {
  return queryOptions({
    queryKey: [...overridesKey(scene), { action, search, skip }],
    queryFn: async ({ signal }) => {
      const call = scene.probity.overrides.list({ action, search, skip, limit: OVERRIDES_PER_PAGE, signal })
      const { data, total } = await call
      return { overrides: data, total: total ?? data.length }
    },
    placeholderData: keepPreviousData,
  })
}

/** Refetches the overrides. */
function useRefreshOverrides(): () => Promise<void> {
  const scene = useScene()
  const queryClient = useQueryClient()
  return useCallback(() => queryClient.invalidateQueries({ queryKey: overridesKey(scene) }), [scene, queryClient])
}
