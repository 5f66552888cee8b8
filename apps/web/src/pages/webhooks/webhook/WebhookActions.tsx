import type { Webhook, WebhookWithSecret } from '@probity/sdk'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Ellipsis, Pause, Pencil, Play, RefreshCw, Send, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { asRequestFailed } from '../../../session/client.ts'
import { useScene } from '../../../session/workspace.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { ConfirmDialog, Dialog } from '../../../ui/Dialog.tsx'
import { Field, TextInput } from '../../../ui/Field.tsx'
import { FormSummary, useSubmit } from '../../../ui/Form.tsx'
import { Menu, MenuItem, MenuLine } from '../../../ui/Menu.tsx'
import { SecretDialog } from '../../../ui/Secret.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'
import { SECRET_ABOUT, WebhookForm, WebhookSecret } from '../WebhookForm.tsx'
import { useRefreshWebhooks } from '../webhooks.ts'
import { useEnable, useTestEvent } from './use-webhook.ts'

type Opened = 'edit' | 'rotate' | 'disable' | 'remove'

const DIALOGS = { edit: EditDialog, rotate: RotateDialog, disable: DisableDialog, remove: RemoveDialog }

export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const [opened, setOpened] = useState<Opened>()
  const test = useTestEvent(webhook)
  const OpenDialog = opened && DIALOGS[opened]
  return (
    <>
      <Button
        disabled={!webhook.enabled}
        busy={test.isPending}
        icon={<Send className="size-4" aria-hidden="true" />}
        onClick={() => test.mutate()}
      >
        Send test event
      </Button>
      <Button icon={<Pencil className="size-4" aria-hidden="true" />} onClick={() => setOpened('edit')}>
        Edit
      </Button>
      <MoreMenu webhook={webhook} onOpen={setOpened} />
      {OpenDialog && <OpenDialog webhook={webhook} onClose={() => setOpened(undefined)} />}
    </>
  )
}

function MoreMenu({ webhook, onOpen }: { webhook: Webhook; onOpen(opened: Opened): void }) {
  const enable = useEnable(webhook)
  return (
    <Menu
      label="More actions"
      trigger={
        <IconButton label="More actions" look="secondary">
          <Ellipsis />
        </IconButton>
      }
    >
      <MenuItem icon={<RefreshCw aria-hidden="true" />} onSelect={() => onOpen('rotate')}>
        Rotate secret
      </MenuItem>
      {webhook.enabled ? (
        <MenuItem icon={<Pause aria-hidden="true" />} onSelect={() => onOpen('disable')}>
          Disable
        </MenuItem>
      ) : (
        <MenuItem icon={<Play aria-hidden="true" />} onSelect={() => enable.mutate()}>
          Enable
        </MenuItem>
      )}
      <MenuLine />
      <MenuItem danger icon={<Trash2 aria-hidden="true" />} onSelect={() => onOpen('remove')}>
        Delete webhook
      </MenuItem>
    </Menu>
  )
}

function DisableDialog({ webhook, onClose }: { webhook: Webhook; onClose(): void }) {
  const { probity } = useScene()
  const tell = useToasts()
  const refresh = useRefreshWebhooks()
  const disable = useMutation({
    mutationFn: () => probity.webhooks.update(webhook.id, { enabled: false }),
    onSuccess: async () => {
      await refresh()
      tell.done('Webhook disabled.')
      onClose()
    },
  })
  return (
    <ConfirmDialog
      open
      title="Disable this webhook?"
      confirm="Disable webhook"
      cancel="Keep enabled"
      busy={disable.isPending}
      onCancel={onClose}
      onConfirm={() => disable.mutate()}
    >
      <p className="font-medium break-words text-ink">{webhook.url}</p>
      <p>
        Events are no longer sent, and pending deliveries fail. You can enable the webhook again and resend failed
        deliveries. Events that occur in the meantime are not delivered later.
      </p>
      {disable.isError && (
        <Callout kind="error" live>
          {asRequestFailed(disable.error).message}
        </Callout>
      )}
    </ConfirmDialog>
  )
}

function EditDialog({ webhook, onClose }: { webhook: Webhook; onClose(): void }) {
  const { probity } = useScene()
  const tell = useToasts()
  const refresh = useRefreshWebhooks()
  return (
    <Dialog open wide onClose={onClose} title="Edit webhook" about="Changes apply to new events.">
      <WebhookForm
        of={webhook}
        word="Save webhook"
        onCancel={onClose}
        onSend={async (settings) => {
          await probity.webhooks.update(webhook.id, settings)
          await refresh()
          tell.done('Webhook updated.')
          onClose()
        }}
      />
    </Dialog>
  )
}

/** Deletes a webhook permanently. An enabled webhook must be confirmed by its host. */
function RemoveDialog({ webhook, onClose }: { webhook: Webhook; onClose(): void }) {
  const [typed, setTyped] = useState('')
  const { host } = new URL(webhook.url)
  const removal = useRemoval(webhook)
  return (
    <ConfirmDialog
      open
      danger
      title="Delete this webhook?"
      confirm="Delete webhook"
      cancel="Keep webhook"
      busy={removal.isPending}
      disabled={webhook.enabled && typed.trim() !== host}
      onCancel={onClose}
      onConfirm={() => removal.mutate()}
    >
      <p className="font-medium break-words text-ink">{webhook.url}</p>
      <p>Events are no longer sent, and the delivery log is deleted. This cannot be undone.</p>
      {webhook.enabled && (
        <Field label={<span className="text-ink">Type “{host}” to confirm</span>}>
          {(ids) => (
            <TextInput {...ids} value={typed} onChange={(event) => setTyped(event.target.value)} autoComplete="off" />
          )}
        </Field>
      )}
      {removal.isError && (
        <Callout kind="error" live>
          {asRequestFailed(removal.error).message}
        </Callout>
      )}
    </ConfirmDialog>
  )
}

/** Navigates away before refetching: the webhook on this page no longer exists. */
function useRemoval({ id, url }: Webhook) {
  const { probity } = useScene()
  const navigate = useNavigate()
  const tell = useToasts()
  const refresh = useRefreshWebhooks()
  return useMutation({
    mutationFn: () => probity.webhooks.delete(id),
    onSuccess: async () => {
      await navigate({ to: '/webhooks' })
      tell.done(`Webhook ${url} deleted.`)
      await refresh()
    },
  })
}

/** Creates a new signing secret. The previous one stays valid for 24 hours. */
function RotateDialog({ webhook, onClose }: { webhook: Webhook; onClose(): void }) {
  const [made, setMade] = useState<WebhookWithSecret>()
  const refresh = useRefreshWebhooks()
  const words = made ? { title: 'New signing secret', about: SECRET_ABOUT } : { title: 'Rotate signing secret?' }
  const secret = made && ((onSaved: () => void) => <WebhookSecret made={made} onSaved={onSaved} />)
  const close = () => {
    if (made) void refresh()
    onClose()
  }
  return (
    <SecretDialog {...words} noun="secret" onClose={close} secret={secret}>
      <RotateForm webhook={webhook} onMade={setMade} onCancel={onClose} />
    </SecretDialog>
  )
}

type RotateFormProps = { webhook: Webhook; onMade(made: WebhookWithSecret): void; onCancel(): void }

function RotateForm({ webhook, onMade, onCancel }: RotateFormProps) {
  const { probity } = useScene()
  const form = useForm()
  // Bypasses the query cache, which would keep the secret.
  const submit = useSubmit(form, async () => onMade(await probity.webhooks.rotateSecret(webhook.id)))
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      <FormSummary form={form} />
      <p className="text-soft">
        Creates a new secret and a new key pair. For 24 hours every request is also signed with the previous ones, so
        that your endpoint can switch without losing events.
      </p>
      <div className="flex flex-wrap justify-end gap-2 border-t border-line pt-4">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="primary" busy={form.formState.isSubmitting}>
          Rotate secret
        </Button>
      </div>
    </form>
  )
}
