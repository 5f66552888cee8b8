import { Outlet, useLocation } from '@tanstack/react-router'
import { Lock, ShieldAlert } from 'lucide-react'
import { useState } from 'react'
import { type Session, useSession } from '../../session/session.ts'
import { LinkTabs } from '../../shell/LinkTabs.tsx'
import { OPERATOR_PAGES } from '../../shell/section-pages.ts'
import { Button } from '../../ui/Button.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyState } from '../../ui/States.tsx'
import { TurnOnDialog } from '../users/profile/TwoFactorCard.tsx'
import { RecentCode } from './ConfirmCall.tsx'

/** The frame of the operator pages, or the reason why this user has no access. */
export function OperatorPage() {
  const { operator_access: access } = useSession()
  const [isSettingUp, setSettingUp] = useState(false)
  if (isSettingUp) return <OperatorClosed access="two_factor_required" onSetUp={setSettingUp} />
  if (access !== 'allowed') return <OperatorClosed access={access} onSetUp={setSettingUp} />
  return (
    <RecentCode>
      <OpenPage />
    </RecentCode>
  )
}

function OpenPage() {
  const { pathname } = useLocation()
  const page = OPERATOR_PAGES.find(({ to }) => pathname.endsWith(to))
  return (
    <Page
      title={page ? `${page.label} · Operator` : 'Operator'}
      heading="Operator"
      about="The whole installation, across all accounts. Changes to accounts, providers and egresses are recorded in the audit log."
    >
      <LinkTabs label="Operator" pages={OPERATOR_PAGES} open={page?.to} />
      <Outlet />
    </Page>
  )
}

type Access = Exclude<Session['operator_access'], 'allowed'>

/** Explains why the operator pages are not available, and how to get access. */
function OperatorClosed({ access, onSetUp }: { access: Access; onSetUp(isOpen: boolean): void }) {
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
    title: 'Operator access required',
    text: 'These pages are for operators, who run the installation. Use the other pages for your accounts.',
  },
  ip_not_allowed: {
    title: 'Operator pages are not available from this network',
    text: 'They are limited to the IP addresses in PROBITY_OPERATOR_NETWORKS. Connect from one of them, then reload this page.',
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
      <p>
        Operators sign in with their password and a code from an authenticator app. Setup takes two minutes. Sign in
        again after it: changes need a session that started with a code.
      </p>
      {isOpen && <TurnOnDialog onClose={() => toggle(false)} />}
    </EmptyState>
  )
}
