import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import { useSession } from '../../session/session.ts'
import { Page } from '../../ui/Page.tsx'
import { useOpenTabInView } from '../../ui/use-open-tab-in-view.ts'
import { OperatorClosed } from './OperatorClosed.tsx'
import { RecentCode } from './RecentCode.tsx'

const PLACES = [
  { to: '/operator/health', label: 'Health' },
  { to: '/operator/doctor', label: 'Doctor' },
  { to: '/operator/providers', label: 'Providers' },
  { to: '/operator/egress', label: 'Egress' },
  { to: '/operator/queues', label: 'Queues' },
  { to: '/operator/reviews', label: 'Reviews' },
  { to: '/operator/accounts', label: 'Accounts' },
  { to: '/operator/replies', label: 'Replies' },
  { to: '/operator/audit-log', label: 'Audit log' },
] as const

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
  const place = PLACES.find(({ to }) => pathname.endsWith(to))
  const tabs = useOpenTabInView(place?.to)
  return (
    <Page
      title={place ? `${place.label} · Operator` : 'Operator'}
      heading="Operator"
      about="The whole installation, across all accounts. Changes to accounts, providers and egresses are recorded in the audit log."
    >
      <nav ref={tabs} aria-label="Operator" className="-mx-4 overflow-x-auto px-4 sm:mx-0 sm:px-0">
        <ul className="flex w-max min-w-full gap-4 border-b border-line sm:gap-5">
          {PLACES.map(({ to, label }) => (
            <li key={to}>
              <Link
                to={to}
                className="-mb-px flex min-h-10 items-center border-b-2 border-transparent px-0.5 whitespace-nowrap text-soft transition-colors hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
              >
                {label}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <Outlet />
    </Page>
  )
}
