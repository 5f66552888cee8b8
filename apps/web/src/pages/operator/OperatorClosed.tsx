import { Lock, ShieldAlert } from 'lucide-react'
import { useState } from 'react'
import type { Session } from '../../session/session.ts'
import { Button } from '../../ui/Button.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyState } from '../../ui/States.tsx'
import { TurnOnDialog } from '../settings/TurnOnDialog.tsx'

type Access = Exclude<Session['operator_access'], 'allowed'>

/** Why the operator pages are closed, and what to do about it. */
export function OperatorClosed({ access, onSetUp }: { access: Access; onSetUp(isOpen: boolean): void }) {
  return (
    <Page title="Operator">
      {access === 'two_factor_required' ? (
        <TwoFactorFirst onSetUp={onSetUp} />
      ) : (
        <EmptyState icon={<Lock aria-hidden="true" />} title={CLOSED[access ?? 'none'].title}>
          <p>{CLOSED[access ?? 'none'].text}</p>
        </EmptyState>
      )}
    </Page>
  )
}

const CLOSED = {
  none: {
    title: 'These pages are for operators',
    text: 'Operators run the installation. Your accounts are on the other pages.',
  },
  ip_not_allowed: {
    title: 'Operator pages are not available from this network',
    text: 'They are limited to the IP addresses in OPERATOR_NETWORKS. Connect from one of them, then reload this page.',
  },
}

function TwoFactorFirst({ onSetUp }: { onSetUp(isOpen: boolean): void }) {
  const [isOpen, setOpen] = useState(false)
  // The page stays until the dialog is closed: its last step shows the recovery codes, after 2FA is on.
  const toggle = (open: boolean) => {
    setOpen(open)
    onSetUp(open)
  }
  return (
    <EmptyState
      icon={<ShieldAlert aria-hidden="true" />}
      title="Set up two-factor authentication first"
      action={
        <Button look="primary" onClick={() => toggle(true)}>
          Set up two-factor authentication
        </Button>
      }
    >
      <p>Operators sign in with their password and a code of an authenticator app. It takes two minutes.</p>
      {isOpen && <TurnOnDialog onClose={() => toggle(false)} />}
    </EmptyState>
  )
}
