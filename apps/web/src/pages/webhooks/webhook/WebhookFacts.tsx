import type { Webhook } from '@probity/sdk'
import type { ReactNode } from 'react'
import { Card } from '../../../ui/Card.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { formatDateTime } from '../../../ui/format.ts'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { describeEvents } from '../overview/event-words.ts'

export function WebhookFacts({ webhook }: { webhook: Webhook }) {
  const { events, livemode, created_at: createdAt, previous_secret_expires_at: until, public_key: publicKey } = webhook
  return (
    <Card title="Settings">
      <dl className="grid gap-x-8 gap-y-3 sm:grid-cols-2">
        <Fact name="Events">{describeEvents(events)}</Fact>
        <Fact name="Mode">{livemode ? 'Live' : 'Test (test mode events only)'}</Fact>
        <Fact name="Created">
          <RelativeTime at={createdAt} />
        </Fact>
        <Fact name="Signing secret">
          {isToCome(until) ? `2 active signing secrets until ${formatDateTime(until)}` : '1 active signing secret'}
        </Fact>
        <Fact name="Ed25519 public key">
          <span className="flex items-center gap-1">
            <code className="font-mono text-[0.8125rem] break-all">{publicKey}</code>
            <CopyButton text={publicKey} label="Copy public key" />
          </span>
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
