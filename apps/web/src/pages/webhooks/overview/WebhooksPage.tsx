import type { CallbackSecret, WebhookWithSecret } from '@probity/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Eye, Plus, RotateCw, Webhook as WebhookIcon } from 'lucide-react'
import { useState } from 'react'
import { asRequestFailed } from '../../../session/client.ts'
import { rolesFor, useMay, useScene } from '../../../session/workspace.ts'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { formatDateTime } from '../../../ui/format.ts'
import { Page } from '../../../ui/Page.tsx'
import { SecretDialog, SecretField } from '../../../ui/Secret.tsx'
import { EmptyState, NoPermission, PageFrame } from '../../../ui/States.tsx'
import { SECRET_ABOUT, WebhookForm, WebhookSecret } from '../WebhookForm.tsx'
import { useRefreshWebhooks, webhooksQuery } from '../webhooks.ts'
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
  const query = useQuery(webhooksQuery(useScene()))
  const { data, error } = query
  if (data === undefined)
    return <PageFrame query={query} failed="The webhooks could not be loaded" loading="Loading webhooks" lines={4} />
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

/** The callback secret. Unlike a webhook signing secret, it can be shown again. */
function CallbackSecretCard() {
  const [isOpen, setOpen] = useState(false)
  return (
    <Card title="Callbacks">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-soft">
          A list can have a <code>callback_url</code> that receives its final event. Callbacks are signed with the
          account’s callback secret.
        </p>
        <Button size="sm" icon={<Eye className="size-4" aria-hidden="true" />} onClick={() => setOpen(true)}>
          Show callback secret
        </Button>
      </div>
      {isOpen && <CallbackSecretDialog onClose={() => setOpen(false)} />}
    </Card>
  )
}

/** The secret is in the state of this component only, not in the query cache. */
function CallbackSecretDialog({ onClose }: { onClose(): void }) {
  const { webhooks } = useScene().probity
  const [shown, setShown] = useState<CallbackSecret>()
  const show = useMutation({ mutationFn: async () => setShown(await webhooks.callbackSecret.get()) })
  const rotate = useMutation({ mutationFn: async () => setShown(await webhooks.callbackSecret.rotate()) })
  const error = show.error ?? rotate.error
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title="Callback secret"
      about="After a rotation, callbacks are also signed with the previous secret for 24 hours."
    >
      <div className="flex flex-col gap-5">
        {error && (
          <Callout kind="error" live>
            {asRequestFailed(error).message}
          </Callout>
        )}
        {shown && <SecretField key={shown.secret} label="Callback secret" noun="secret" value={shown.secret} />}
        {shown?.previous_secret_expires_at && (
          <p className="text-soft">
            The previous secret expires on {formatDateTime(shown.previous_secret_expires_at)}.
          </p>
        )}
        <div className="flex flex-wrap justify-end gap-2 border-t border-line pt-4">
          <Button
            busy={rotate.isPending}
            icon={<RotateCw className="size-4" aria-hidden="true" />}
            onClick={() => rotate.mutate()}
          >
            Rotate secret
          </Button>
          {shown === undefined && (
            <Button look="primary" busy={show.isPending} onClick={() => show.mutate()}>
              Show secret
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  )
}

type CreateDialogProps = {
  made: WebhookWithSecret | undefined
  onMade(made: WebhookWithSecret): void
  onClose(): void
}

/** From the form to the secret. */
function CreateDialog({ made, onMade, onClose }: CreateDialogProps) {
  const { probity } = useScene()
  const words = made ? { title: 'Your new webhook', about: SECRET_ABOUT } : { title: 'Create a webhook' }
  const secret = made && ((onSaved: () => void) => <WebhookSecret made={made} onSaved={onSaved} />)
  return (
    <SecretDialog {...words} noun="secret" onClose={onClose} secret={secret}>
      <WebhookForm
        word="Create webhook"
        onCancel={onClose}
        // Bypasses the query cache, which would keep the secret.
        onSend={async (settings) => onMade(await probity.webhooks.create(settings))}
      />
    </SecretDialog>
  )
}
