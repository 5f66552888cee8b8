import type { DeletionPreview } from '@probity/contract/schemas/accounts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useScene } from '../../../session/scene.ts'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import { ErrorState, Skeleton } from '../../../ui/States.tsx'
import { contentsQuery } from './closing-query.ts'
import { DeleteDialog } from './DeleteDialog.tsx'

export function DeleteCard() {
  const { membership } = useScene()
  const contents = useQuery(contentsQuery(membership.account_id))
  return (
    <Card title="Delete account">
      {contents.isPending && <Skeleton lines={4} />}
      {contents.isError && (
        <ErrorState
          what="The data to delete could not be loaded"
          error={contents.error}
          onRetry={() => void contents.refetch()}
        />
      )}
      {contents.isSuccess && <WhatGoes contents={contents.data} />}
    </Card>
  )
}

function WhatGoes({ contents }: { contents: DeletionPreview }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="flex flex-col gap-4">
      <p>The following data is permanently deleted:</p>
      <ul className="list-disc ps-5">
        {linesOf(contents).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <p className="text-soft">
        API keys stop working and members lose access immediately. Lists in progress are canceled, and webhook events
        are no longer sent. Stored data is deleted within a day. Credit transactions are kept as amounts and IDs without
        names or addresses. Payments remain with the payment provider, and existing backups do not change. Your own
        profile is kept.
      </p>
      {contents.subscribed && (
        <Callout kind="warning">
          The account has a paid subscription. Cancel it in the billing portal first. Otherwise the payment provider
          continues to charge you.
        </Callout>
      )}
      <div>
        <Button look="danger" disabled={contents.subscribed} onClick={() => setOpen(true)}>
          Delete account
        </Button>
      </div>
      {isOpen && <DeleteDialog name={contents.name} onClose={() => setOpen(false)} />}
    </div>
  )
}

function linesOf(contents: DeletionPreview): string[] {
  const { jobs, running_jobs: running, keys, members, webhooks, overrides, credits, unlimited } = contents
  const stillRunning = running > 0 ? `, ${formatNumber(running)} of them in progress` : ''
  const counted: [number, string][] = [
    [jobs, `${formatCount(jobs, 'list')} with all results${stillRunning}`],
    [keys, formatCount(keys, 'API key')],
    [webhooks, formatCount(webhooks, 'webhook')],
    [overrides, `${formatCount(overrides, 'entry', 'entries')} of the allow & block lists`],
    [members, `access for ${formatCount(members, 'member')}`],
    [unlimited ? 0 : credits, formatCount(credits, 'unused credit')],
  ]
  return counted.filter(([count]) => count > 0).map(([, line]) => line)
}
