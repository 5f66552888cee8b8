import type { UnclassifiedReply } from '@probity/contract/operator'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Eye, MessageSquareDashed, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { asRequestFailed } from '../../api/probity.ts'
import { Button } from '../../ui/Button.tsx'
import { Callout } from '../../ui/Callout.tsx'
import { Card } from '../../ui/Card.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { formatNumber } from '../../ui/format.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Segments } from '../../ui/Segments.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/States.tsx'
import { Table, Td, Th } from '../../ui/Table.tsx'
import { useToasts } from '../../ui/Toasts.tsx'
import { providerName } from '../../words/provider-names.ts'
import { repliesQuery } from './queries.ts'
import { ruleRow } from './rule-row.ts'
import { useOperatorCall } from './use-operator-call.ts'

const VIEWS = [
  { value: 'new', label: 'New' },
  { value: 'all', label: 'All' },
] as const

type View = (typeof VIEWS)[number]['value']

/** What mail servers said that no rule knows. The rules grow by what is found here. */
export function Replies() {
  const [view, setView] = useState<View>('new')
  const { data, error, isError, refetch } = useQuery(repliesQuery)
  return (
    <Card
      title="Unrecognised replies"
      about="What mail servers said that no rule knows, the most frequent first. Addresses in them were replaced before they were kept."
      actions={
        <Segments
          label="Which replies"
          size="sm"
          value={view}
          choices={VIEWS}
          onChange={(next: View) => setView(next)}
        />
      }
    >
      {data === undefined ? (
        isError ? (
          <ErrorState error={error} onRetry={() => void refetch()} what="The replies could not be loaded" />
        ) : (
          <Skeleton lines={5} label="Loading replies" />
        )
      ) : (
        <>
          {isError && <Callout kind="warning">This is as last seen: the service did not answer just now.</Callout>}
          <ReplyList
            replies={data.replies.filter(({ reviewed_at }) => view === 'all' || reviewed_at === null)}
            view={view}
          />
        </>
      )}
    </Card>
  )
}

function ReplyList({ replies, view }: { replies: UnclassifiedReply[]; view: View }) {
  if (replies.length === 0) {
    return (
      <EmptyState
        icon={<MessageSquareDashed aria-hidden="true" />}
        title={view === 'new' ? 'Nothing new' : 'Every reply was understood'}
      >
        {view === 'new'
          ? 'Replies that you have looked at are under All.'
          : 'What a mail server says that no rule knows will be counted here for 90 days.'}
      </EmptyState>
    )
  }
  return (
    <Table caption="Unrecognised replies">
      <thead>
        <tr>
          <Th>Reply</Th>
          <Th>From</Th>
          <Th align="end">Seen</Th>
          <Th>Last</Th>
          <Th align="end">
            <span className="sr-only">Actions</span>
          </Th>
        </tr>
      </thead>
      <tbody className="[&_tr:last-child>*]:border-b-0">
        {replies.map((reply) => (
          <ReplyRow key={`${reply.provider} ${reply.stage} ${reply.code} ${reply.reply}`} reply={reply} />
        ))}
      </tbody>
    </Table>
  )
}

function ReplyRow({ reply }: { reply: UnclassifiedReply }) {
  return (
    <tr>
      <th scope="row" className="max-w-xl min-w-56 border-b border-line py-2.5 pe-3 text-start align-top font-normal">
        <code className="font-mono text-[0.8125rem] [overflow-wrap:anywhere]">
          {reply.code} {reply.reply}
        </code>
      </th>
      <Td className="align-top whitespace-nowrap">
        {reply.provider ? providerName(reply.provider) : 'Somebody else'}
        <p className="text-xs text-faint">in answer to {reply.stage}</p>
      </Td>
      <Td align="end" className="align-top">
        {formatNumber(reply.seen)}
      </Td>
      <Td className="align-top text-soft">
        <RelativeTime at={reply.last_seen_at} />
      </Td>
      <Td align="end" className="align-top">
        <div className="flex justify-end gap-1">
          <CopyButton text={ruleRow(reply)} label={`Copy a rule for ${reply.code} ${reply.reply}`} />
          <MarkButton reply={reply} />
        </div>
      </Td>
    </tr>
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
        isReviewed ? 'The reply is among the new ones again.' : 'Marked as looked at. It is under All.',
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
      aria-label={`${isReviewed ? 'Make new again' : 'Looked at'}: ${code} ${reply}`}
    >
      {isReviewed ? 'New again' : 'Looked at'}
    </Button>
  )
}
