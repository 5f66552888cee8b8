import { useQueryClient } from '@tanstack/react-query'
import { ShieldCheck, ShieldOff } from 'lucide-react'
import { useState } from 'react'
import { ask } from '../../../session/ask.ts'
import { useSession } from '../../../session/session.ts'
import { refreshSession } from '../../../session/sign-in.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'
import { NewCodesDialog } from './NewCodesDialog.tsx'
import { PasswordDialog } from './PasswordDialog.tsx'
import { TurnOnDialog } from './TurnOnDialog.tsx'

type Open = 'turn_on' | 'turn_off' | 'codes' | undefined

export function SecondFactorCard() {
  const { person } = useSession()
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  return (
    <Card
      title="Two-factor authentication"
      about="Sign-in requires a code from an authenticator app in addition to your password."
      actions={
        person.two_factor ? (
          <Badge tone="valid" icon={<ShieldCheck aria-hidden="true" />}>
            On
          </Badge>
        ) : (
          <Badge icon={<ShieldOff aria-hidden="true" />}>Off</Badge>
        )
      }
    >
      <div className="flex flex-wrap gap-2">
        {person.two_factor ? (
          <>
            <Button onClick={() => setOpen('codes')}>Create new recovery codes</Button>
            <Button onClick={() => setOpen('turn_off')}>Disable 2FA</Button>
          </>
        ) : (
          <Button look="primary" onClick={() => setOpen('turn_on')}>
            Set up two-factor authentication
          </Button>
        )}
      </div>
      {open === 'turn_on' && <TurnOnDialog onClose={close} />}
      {open === 'codes' && <NewCodesDialog onClose={close} />}
      {open === 'turn_off' && <TurnOff onClose={close} />}
    </Card>
  )
}

function TurnOff({ onClose }: { onClose(): void }) {
  const queryClient = useQueryClient()
  const toasts = useToasts()
  async function turnOff(password: string) {
    await ask('/auth/two-factor/disable', { method: 'POST', body: { password } })
    await refreshSession(queryClient)
    toasts.done('Two-factor authentication disabled.')
    onClose()
  }
  return (
    <PasswordDialog
      title="Disable two-factor authentication?"
      about="You will sign in with your password only. The recovery codes stop working."
      action="Disable 2FA"
      danger
      onClose={onClose}
      onPassword={turnOff}
    />
  )
}
