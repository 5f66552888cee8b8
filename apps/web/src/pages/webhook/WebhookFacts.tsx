import type { Webhook } from '@probity/sdk'
import type { ReactNode } from 'react'
import { Card } from '../../ui/Card.tsx'
import { formatDateTime } from '../../ui/format.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { describeEvents } from '../webhooks/event-words.ts'

export function WebhookFacts({ webhook }: { webhook: Webhook }) {
  const { events, mode, created_at: createdAt, previous_secret_until: until } = webhook
  return (
    <Card title="Settings">
      <dl className="grid gap-x-8 gap-y-3 sm:grid-cols-2">
        <Fact name="Told of">{describeEvents(events)}</Fact>
        <Fact name="Mode">{mode === 'live' ? 'Live' : 'Test: what happens in test mode'}</Fact>
        <Fact name="Made">
          <RelativeTime at={createdAt} />
        </Fact>
        <Fact name="Secret">
          {isToCome(until)
            ? `The new one and, until ${formatDateTime(until)}, the one before sign`
            : 'One secret signs'}
        </Fact>
      </dl>
    </Card>
  )
}

function isToCome(time: string | null): time is string {
  return time !== null && Date.parse(time) > Date.now()
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-faint">{name}</dt>
      <dd className="[overflow-wrap:anywhere]">{children}</dd>
    </div>
  )
}
