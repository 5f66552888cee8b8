import type { WebhookWithSecret } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus, Webhook as WebhookIcon } from 'lucide-react'
import { useState } from 'react'
import { rolesFor, useMay } from '../../../session/may.ts'
import { useScene } from '../../../session/scene.ts'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Page } from '../../../ui/Page.tsx'
import { EmptyState, ErrorState, NoPermission, Skeleton } from '../../../ui/States.tsx'
import { CallbackSecretCard } from './CallbackSecretCard.tsx'
import { CreateDialog } from './CreateDialog.tsx'
import { useRefreshWebhooks, webhooksQuery } from './queries.ts'
import { WebhookTable } from './WebhookTable.tsx'

const ABOUT = 'Send events to your endpoints in real time, for example when a list is completed or credits run low.'

export function WebhooksPage() {
  const may = useMay('webhooks:read')
  if (may) return <Webhooks />
  return (
    <Page title="Webhooks" about={ABOUT}>
      <NoPermission what="view webhooks" roles={rolesFor('webhooks:read')} />
    </Page>
  )
}

function Webhooks() {
  const { isCreating, made, create, onMade, close } = useCreating()
  const button = (
    <Button look="primary" onClick={create} icon={<Plus className="size-4" aria-hidden="true" />}>
      Create webhook
    </Button>
  )
  return (
    <Page title="Webhooks" about={ABOUT} actions={button}>
      <Card className="max-sm:border-0 max-sm:bg-transparent max-sm:shadow-none max-sm:[&>div]:p-0">
        <WebhookList onCreate={create} />
      </Card>
      <CallbackSecretCard />
      {isCreating && <CreateDialog made={made} onMade={onMade} onClose={close} />}
    </Page>
  )
}

/** The open form is part of the URL. After the secret is saved, the page of the new webhook opens. */
function useCreating() {
  const { create: isAsked = false } = useSearch({ from: '/shell/webhooks' })
  const [made, setMade] = useState<WebhookWithSecret>()
  const navigate = useNavigate({ from: '/webhooks' })
  const refresh = useRefreshWebhooks()
  const setAsked = (is: boolean) =>
    navigate({ search: (now) => ({ ...now, create: is ? true : undefined }), replace: !is })
  return {
    isCreating: isAsked || made !== undefined,
    made,
    create: () => void setAsked(true),
    onMade(next: WebhookWithSecret) {
      setMade(next)
      void setAsked(false)
    },
    close() {
      if (made === undefined) return void setAsked(false)
      void refresh()
      void navigate({ to: '/webhooks/$webhookId', params: { webhookId: made.id }, search: {} })
    },
  }
}

function WebhookList({ onCreate }: { onCreate(): void }) {
  const { data, error, refetch } = useQuery(webhooksQuery(useScene()))
  if (data === undefined) {
    return error ? (
      <ErrorState error={error} onRetry={() => void refetch()} what="The webhooks could not be loaded" />
    ) : (
      <Skeleton lines={4} label="Loading webhooks" />
    )
  }
  if (data.length === 0) return <NoWebhooks onCreate={onCreate} />
  return (
    <>
      {error && <Callout kind="warning">The webhooks could not be refreshed. They may be out of date.</Callout>}
      <WebhookTable webhooks={data} />
    </>
  )
}

function NoWebhooks({ onCreate }: { onCreate(): void }) {
  const { mode } = useScene()
  return (
    <EmptyState
      icon={<WebhookIcon aria-hidden="true" />}
      title={mode === 'test' ? 'No webhooks in test mode yet' : 'No webhooks yet'}
      action={
        <Button look="primary" onClick={onCreate}>
          Create webhook
        </Button>
      }
    >
      <p>Get notified instead of polling for list results. After you create a webhook, you can send a test event.</p>
    </EmptyState>
  )
}
