import type { UnclassifiedReply } from '@probity/contract/schemas/operators'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Eye, MessageSquareDashed, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { asRequestFailed } from '../../session/client.ts'
import { Button, CopyButton } from '../../ui/Button.tsx'
import { Callout } from '../../ui/Callout.tsx'
import { Card } from '../../ui/Card.tsx'
import { formatNumber } from '../../ui/format.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Segments } from '../../ui/Segments.tsx'
import { EmptyState, PageFrame } from '../../ui/States.tsx'
import { type Column, DataTable } from '../../ui/Table.tsx'
import { useToasts } from '../../ui/Toasts.tsx'
import { useOperatorCall } from './ConfirmCall.tsx'
import { nameOf, repliesQuery } from './queries.ts'

const VIEWS = [
  { value: 'new', label: 'New' },
  { value: 'all', label: 'All' },
] as const

type View = (typeof VIEWS)[number]['value']

/** SMTP replies that no classification rule matches. New rules are written from them. */
export function Replies() {
  const [view, setView] = useState<View>('new')
  const query = useQuery(repliesQuery)
  const { isError } = query
  return (
    <Card
      title="Unclassified replies"
      about="SMTP replies that no classification rule matches, most frequent first. Addresses are redacted before storage."
      actions={
        <Segments
          label="Replies shown"
          size="sm"
          value={view}
          choices={VIEWS}
          onChange={(next: View) => setView(next)}
        />
      }
    >
      <PageFrame query={query} failed="The replies could not be loaded" loading="Loading replies" lines={5}>
        {(data) => (
          <>
            {isError && <Callout kind="warning">The data could not be refreshed. It may be out of date.</Callout>}
            <ReplyList
              replies={data.replies.filter(({ reviewed_at }) => view === 'all' || reviewed_at === null)}
              view={view}
            />
          </>
        )}
      </PageFrame>
    </Card>
  )
}

const STAGES: Record<string, string> = {
  greeting: 'Greeting',
  ehlo: 'Reply to EHLO',
  starttls: 'Reply to STARTTLS',
  mail: 'Reply to MAIL FROM',
  rcpt: 'Reply to RCPT TO',
}

const COLUMNS: Column<UnclassifiedReply>[] = [
  {
    head: 'Reply',
    isRowHead: true,
    className: 'max-w-xl min-w-56 align-top font-normal',
    cell: ({ code, reply }) => (
      <code className="font-mono text-[0.8125rem] [overflow-wrap:anywhere]">
        {code} {reply}
      </code>
    ),
  },
  {
    head: 'Provider',
    className: 'align-top whitespace-nowrap',
    cell: ({ provider, stage }) => (
      <>
        {nameOf(provider)}
        <p className="text-xs text-faint">{STAGES[stage] ?? `Reply to ${stage}`}</p>
      </>
    ),
  },
  { head: 'Seen', align: 'end', className: 'align-top', cell: ({ seen }) => formatNumber(seen) },
  { head: 'Last seen', className: 'align-top text-soft', cell: (row) => <RelativeTime at={row.last_seen_at} /> },
  {
    head: 'Actions',
    isHeadHidden: true,
    align: 'end',
    className: 'align-top',
    cell: (reply) => (
      <div className="flex justify-end gap-1">
        <CopyButton text={ruleRow(reply)} label={`Copy a rule for ${reply.code} ${reply.reply}`} />
        <MarkButton reply={reply} />
      </div>
    ),
  },
]

function ReplyList({ replies, view }: { replies: UnclassifiedReply[]; view: View }) {
  if (replies.length === 0) {
    return (
      <EmptyState
        icon={<MessageSquareDashed aria-hidden="true" />}
        title={view === 'new' ? 'No new replies' : 'No unclassified replies'}
      >
        {view === 'new'
          ? 'Reviewed replies are listed under All.'
          : 'Replies that no rule matches are counted here for 90 days.'}
      </EmptyState>
    )
  }
  return (
    <DataTable
      caption="Unclassified replies"
      cardsBelow="lg"
      cardLook="boxes"
      columns={COLUMNS}
      rows={replies}
      keyOf={(row) => `${row.provider} ${row.stage} ${row.code} ${row.reply}`}
    />
  )
}

function MarkButton({ reply: { provider, stage, code, reply, reviewed_at } }: { reply: UnclassifiedReply }) {
  const call = useOperatorCall()
  const toasts = useToasts()
  const isReviewed = reviewed_at !== null
  const { mutate, isPending } = useMutation({
    mutationFn: () =>
      call(
        '/replies/review',
        { provider, stage, code, reply, is_reviewed: !isReviewed },
        isReviewed ? 'Marked as new.' : 'Marked as reviewed. It is listed under All.',
      ),
    onError: (error) => toasts.failed(asRequestFailed(error).message),
  })
  const Icon = isReviewed ? Undo2 : Eye
  return (
    <Button
      size="sm"
      busy={isPending}
      onClick={() => mutate()}
      icon={<Icon className="size-4" aria-hidden="true" />}
      aria-label={`${isReviewed ? 'Mark as new' : 'Mark as reviewed'}: ${code} ${reply}`}
    >
      {isReviewed ? 'Mark as new' : 'Mark as reviewed'}
    </Button>
  )
}

/** A row for the engine's classification rules, filled from the reply. The operator adds the reason and the scope. */
export function ruleRow({ provider, stage, code, reply }: UnclassifiedReply): string {
  const enhanced = /^([245]\.\d{1,3}\.\d{1,3})\b/.exec(reply)?.[1]
  const words = reply
    .slice(enhanced?.length ?? 0)
    .trim()
    .toLowerCase()
  const lines = [
    `stage: '${stage === 'rcpt' ? 'rcpt' : 'early'}',`,
    ...(provider ? [`provider: ['${provider}'],`] : []),
    `code: '${code}',`,
    ...(enhanced ? [`enhanced: '${enhanced}',`] : []),
    `says: /${escapePattern(words)}/,`,
    `reason: '',`,
    `scope: '',`,
    `seen: ${JSON.stringify(`${code} ${reply}`)},`,
  ]
  return `{\n${lines.map((line) => `  ${line}`).join('\n')}\n},\n`
}

function escapePattern(words: string): string {
  return words.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')
}
