import type { Webhook } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Unplug } from 'lucide-react'
import type { ReactNode } from 'react'
import { asRequestFailed } from '../../../session/client.ts'
import { rolesFor, useMay, useScene } from '../../../session/workspace.ts'
import { Button, buttonClass, CopyButton } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { DateTime } from '../../../ui/DateTime.tsx'
import { formatDateTime } from '../../../ui/format.ts'
import { Page } from '../../../ui/Page.tsx'
import { EmptyState, NoPermission, PageFrame } from '../../../ui/States.tsx'
import { WebhookState, whyDisabled } from '../WebhookBadges.tsx'
import { describeEvents, webhookQuery } from '../webhooks.ts'
import { Deliveries } from './Deliveries.tsx'
import { useEnable, useWebhookId } from './use-webhook.ts'
import { WebhookActions } from './WebhookActions.tsx'

const WEBHOOKS = { to: '/webhooks', name: 'Webhooks' } as const

/** One webhook: settings and deliveries. */
export function WebhookPage() {
  const may = useMay('webhooks:read')
  if (may) return <Loading />
  return (
    <Page title="Webhook" back={WEBHOOKS}>
      <NoPermission what="view webhooks" roles={rolesFor('webhooks:read')} />
    </Page>
  )
}

function Loading() {
  const query = useQuery(webhookQuery(useScene(), useWebhookId()))
  const { data, error } = query
  // A malformed id is rejected with 400.
  if (error && [400, 404].includes(asRequestFailed(error).status)) return <NoWebhook />
  if (data !== undefined) return <OneWebhook webhook={data} isStale={error !== null} />
  return (
    <Page title="Webhook" back={WEBHOOKS}>
      <Card>
        <PageFrame query={query} failed="The webhook could not be loaded" loading="Loading webhook" lines={6} />
      </Card>
    </Page>
  )
}

function OneWebhook({ webhook, isStale }: { webhook: Webhook; isStale: boolean }) {
  return (
    <Page
      title={`Webhook ${new URL(webhook.url).host}`}
      heading={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1.5 [overflow-wrap:anywhere]">
          {webhook.url} <WebhookState of={webhook} />
        </span>
      }
      about={webhook.description}
      back={WEBHOOKS}
      actions={<WebhookActions webhook={webhook} />}
    >
      {isStale && <Callout kind="warning">The webhook could not be refreshed. The data may be out of date.</Callout>}
      <WebhookNotice webhook={webhook} />
      <WebhookFacts webhook={webhook} />
      <Deliveries webhook={webhook} />
    </Page>
  )
}

function NoWebhook() {
  return (
    <Page title="Webhook" back={WEBHOOKS}>
      <Card>
        <EmptyState
          icon={<Unplug aria-hidden="true" />}
          title="Webhook not found"
          action={
            <Link to="/webhooks" className={buttonClass('primary')}>
              Show all webhooks
            </Link>
          }
        >
          It was deleted, or it belongs to another account or mode.
        </EmptyState>
      </Card>
    </Page>
  )
}

function WebhookFacts({ webhook }: { webhook: Webhook }) {
  const { events, livemode, created_at: createdAt, previous_secret_expires_at: until, public_key: publicKey } = webhook
  return (
    <Card title="Settings">
      <dl className="grid gap-x-8 gap-y-3 sm:grid-cols-2">
        <Fact name="Events">{describeEvents(events)}</Fact>
        <Fact name="Mode">{livemode ? 'Live' : 'Test (test mode events only)'}</Fact>
        <Fact name="Created">
          <DateTime at={createdAt} />
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

/** Why no events are sent, or that deliveries fail. */
function WebhookNotice({ webhook }: { webhook: Webhook }) {
  if (!webhook.enabled) return <Disabled webhook={webhook} />
  if (webhook.failing_since_at === null) return null
  return (
    <Callout kind="warning" title="Deliveries to this webhook are failing">
      All attempts have failed since {formatDateTime(webhook.failing_since_at)}. Retries continue. After five days of
      continuous failures, the webhook is disabled. The deliveries below show the responses of your endpoint.
    </Callout>
  )
}

function Disabled({ webhook }: { webhook: Webhook }) {
  const enable = useEnable(webhook)
  const { disabled_reason: reason, disabled_at: at } = webhook
  return (
    <Callout kind={reason === 'by_owner' ? 'info' : 'warning'} title="This webhook is disabled">
      <p>
        {whyDisabled(reason)} {at && `Disabled on ${formatDateTime(at)}. `}
        Pending deliveries failed. You can resend them after you enable the webhook. Events that occur while it is
        disabled are not delivered.
      </p>
      <div className="mt-2">
        <Button size="sm" busy={enable.isPending} onClick={() => enable.mutate()}>
          Enable webhook
        </Button>
      </div>
    </Callout>
  )
}
