import type { Contents } from '@probity/contract/closing'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useScene } from '../../session/scene.ts'
import { Button } from '../../ui/Button.tsx'
import { Callout } from '../../ui/Callout.tsx'
import { Card } from '../../ui/Card.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import { contentsQuery } from './closing-query.ts'
import { DeleteDialog } from './DeleteDialog.tsx'

export function DeleteCard() {
  const { membership } = useScene()
  const contents = useQuery(contentsQuery(membership.account_id))
  return (
    <Card title="Delete the organisation">
      {contents.isPending && <Skeleton lines={4} />}
      {contents.isError && <ErrorState error={contents.error} onRetry={() => void contents.refetch()} />}
      {contents.isSuccess && <WhatGoes contents={contents.data} />}
    </Card>
  )
}

function WhatGoes({ contents }: { contents: Contents }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="flex flex-col gap-4">
      <p>These disappear, and nobody can bring them back:</p>
      <ul className="list-disc ps-5">
        {linesOf(contents).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <p className="text-soft">
        Keys stop and members are out at once, lists that run are canceled, and nothing is sent to webhooks any more.
        What is kept in the database is removed within a day. What stays are the movements of credits, as amounts and
        ids without names or addresses; payments stay with the payment provider, and backups hold what they held when
        they were made. Your own sign-in stays.
      </p>
      {contents.subscribed && (
        <Callout kind="warning">
          The organisation pays for a plan. End it first, on the page of the payment provider: otherwise it would go on
          charging you.
        </Callout>
      )}
      <div>
        <Button look="danger" disabled={contents.subscribed} onClick={() => setOpen(true)}>
          Delete the organisation
        </Button>
      </div>
      {isOpen && <DeleteDialog name={contents.name} onClose={() => setOpen(false)} />}
    </div>
  )
}

function linesOf(contents: Contents): string[] {
  const { jobs, running_jobs: running, keys, members, webhooks, overrides, credits, unlimited } = contents
  const stillRunning = running > 0 ? `, ${formatNumber(running)} of them still running` : ''
  const counted: [number, string][] = [
    [jobs, `${formatCount(jobs, 'list')} with all results${stillRunning}`],
    [keys, formatCount(keys, 'API key')],
    [webhooks, formatCount(webhooks, 'webhook')],
    [overrides, `${formatCount(overrides, 'entry', 'entries')} on the allow and block lists`],
    [members, `access for ${formatCount(members, 'member')}`],
    [unlimited ? 0 : credits, `${formatCount(credits, 'credit')} that are left`],
  ]
  return counted.filter(([count]) => count > 0).map(([, line]) => line)
}
