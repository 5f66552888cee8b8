import { LimitsDialog, RenameDialog } from './ChangeDialogs.tsx'
import { EmbedDialog } from './EmbedDialog.tsx'
import type { Key, NewKey } from './keys-query.ts'
import { MakeKeyDialog, type Making } from './MakeKeyDialog.tsx'
import { RevokeDialog } from './RevokeDialog.tsx'

/** The open dialog. At most one is open. */
export type Opened = Making | { kind: 'rename' | 'limits' | 'embed' | 'revoke'; key: Key }

type KeyDialogsProps = {
  opened: Opened | undefined
  onMade(made: NewKey): void
  onDone(said: string): void
  onClose(): void
}

export function KeyDialogs({ opened, onMade, onDone, onClose }: KeyDialogsProps) {
  const change = { onDone, onClose }
  if (opened === undefined) return null
  switch (opened.kind) {
    case 'rename':
      return <RenameDialog of={opened.key} {...change} />
    case 'limits':
      return <LimitsDialog of={opened.key} {...change} />
    case 'embed':
      return <EmbedDialog of={opened.key} onClose={onClose} />
    case 'revoke':
      return <RevokeDialog of={opened.key} {...change} />
    case 'create':
    case 'rotate':
    case 'secret':
      return <MakeKeyDialog making={opened} onMade={onMade} onClose={onClose} />
  }
}
