import type { Webhook } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronLeft, Unplug } from 'lucide-react'
import { rolesFor, useMay } from '../../../session/may.ts'
import { asRequestFailed } from '../../../session/probity.ts'
import { useScene } from '../../../session/scene.ts'
import { buttonClass } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Page } from '../../../ui/Page.tsx'
import { EmptyState, ErrorState, NoPermission, Skeleton } from '../../../ui/States.tsx'
import { webhookQuery } from '../overview/queries.ts'
import { WebhookState } from '../overview/WebhookState.tsx'
import { Deliveries } from './Deliveries.tsx'
import { useWebhookId } from './use-webhook-search.ts'
import { WebhookActions } from './WebhookActions.tsx'
import { WebhookFacts } from './WebhookFacts.tsx'
import { WebhookNotice } from './WebhookNotice.tsx'

/** One webhook: settings and deliveries. */
export function WebhookPage() {
  const may = useMay('webhooks:read')
  if (may) return <Loading />
  return (
    <Page title="Webhook" trail={<Trail />}>
      <NoPermission what="view webhooks" roles={rolesFor('webhooks:read')} />
    </Page>
  )
}

function Loading() {
  const { data, error, refetch } = useQuery(webhookQuery(useScene(), useWebhookId()))
  // A malformed id is rejected with 400.
  if (error && [400, 404].includes(asRequestFailed(error).status)) return <NoWebhook />
  if (data !== undefined) return <OneWebhook webhook={data} isStale={error !== null} />
  return (
    <Page title="Webhook" trail={<Trail />}>
      <Card>
        {error ? (
          <ErrorState error={error} onRetry={() => void refetch()} what="The webhook could not be loaded" />
        ) : (
          <Skeleton lines={6} label="Loading webhook" />
        )}
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
      trail={<Trail />}
      actions={<WebhookActions webhook={webhook} />}
    >
      {isStale && <Callout kind="warning">The webhook could not be refreshed. The data may be out of date.</Callout>}
      <WebhookNotice webhook={webhook} />
      <WebhookFacts webhook={webhook} />
      <Deliveries webhook={webhook} />
    </Page>
  )
}

function Trail() {
  return (
    <Link to="/webhooks" className="inline-flex min-h-6 items-center gap-1 rounded-sm hover:text-ink">
      <ChevronLeft className="size-4" aria-hidden="true" />
      Webhooks
    </Link>
  )
}

function NoWebhook() {
  return (
    <Page title="Webhook" trail={<Trail />}>
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
          It was deleted, or it belongs to another account or to the other mode.
        </EmptyState>
      </Card>
    </Page>
  )
}
