import { useState } from 'react'
import { ask } from '../../../session/ask.ts'
import { Dialog } from '../../../ui/Dialog.tsx'
import { PasswordDialog } from './PasswordDialog.tsx'
import { RecoveryCodes } from './RecoveryCodes.tsx'

export function NewCodesDialog({ onClose }: { onClose(): void }) {
  const [codes, setCodes] = useState<string[]>()
  async function make(password: string) {
    const path = '/auth/two-factor/generate-backup-codes'
    const { backupCodes } = await ask<{ backupCodes: string[] }>(path, { method: 'POST', body: { password } })
    setCodes(backupCodes)
  }
  if (codes !== undefined) {
    return (
      <Dialog open onClose={onClose} mayClose={() => false} title="Your new recovery codes">
        <RecoveryCodes codes={codes} onDone={onClose} />
      </Dialog>
    )
  }
  return (
    <PasswordDialog
      title="Create new recovery codes?"
      about="Your current recovery codes stop working."
      action="Create codes"
      onClose={onClose}
      onPassword={make}
    />
  )
}
