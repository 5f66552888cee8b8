import type { Webhook } from '@probity/sdk'
import { Ellipsis, Pause, Pencil, Play, RefreshCw, Send, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { Menu, MenuItem, MenuLine } from '../../../ui/Menu.tsx'
import { DisableDialog } from './DisableDialog.tsx'
import { EditDialog } from './EditDialog.tsx'
import { RemoveDialog } from './RemoveDialog.tsx'
import { RotateDialog } from './RotateDialog.tsx'
import { useEnable, useTestEvent } from './use-webhook-calls.ts'

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
