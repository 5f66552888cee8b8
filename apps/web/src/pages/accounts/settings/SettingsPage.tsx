import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { Building2, Database, History, ListFilter, Mail, Network, ShieldCheck, UserRound, Users } from 'lucide-react'
import { Page } from '../../../ui/Page.tsx'
import { useOpenTabInView } from '../../../ui/use-open-tab-in-view.ts'

const PLACES = [
  { to: '/settings/profile', label: 'Profile', Icon: UserRound },
  { to: '/settings/security', label: 'Security', Icon: ShieldCheck },
  { to: '/settings/notices', label: 'Notifications', Icon: Mail },
  { to: '/settings/members', label: 'Members', Icon: Users },
  { to: '/settings/account', label: 'Account', Icon: Building2 },
  { to: '/settings/allow-and-block', label: 'Allow & block lists', Icon: ListFilter },
  { to: '/settings/network', label: 'Network', Icon: Network },
  { to: '/settings/data', label: 'Data', Icon: Database },
  { to: '/settings/audit-log', label: 'Audit log', Icon: History },
] as const

/** The layout of all settings: a side navigation on wide screens, tabs on narrow ones. */
export function SettingsPage() {
  const { pathname } = useLocation()
  const place = PLACES.find(({ to }) => pathname.endsWith(to))
  const tabs = useOpenTabInView(place?.to)
  return (
    <Page title={place ? `${place.label} · Settings` : 'Settings'} heading="Settings">
      <div className="flex flex-col gap-6 lg:grid lg:grid-cols-[11rem_minmax(0,1fr)] lg:gap-10">
        <nav
          ref={tabs}
          aria-label="Settings"
          className="-mx-4 overflow-x-auto px-4 sm:mx-0 sm:px-0 lg:sticky lg:top-20 lg:self-start lg:overflow-visible"
        >
          <ul className="flex w-max min-w-full gap-4 border-b border-line sm:gap-5 lg:w-auto lg:flex-col lg:gap-0.5 lg:border-0">
            {PLACES.map(({ to, label, Icon }) => (
              <li key={to}>
                <Link
                  to={to}
                  className="-mb-px flex min-h-10 items-center gap-2.5 border-b-2 border-transparent px-0.5 whitespace-nowrap text-soft transition-colors hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink lg:mb-0 lg:min-h-9 lg:rounded-md lg:border-0 lg:px-2.5 lg:hover:bg-hover lg:aria-[current=page]:bg-hover"
                >
                  <Icon className="hidden size-4 shrink-0 lg:block" aria-hidden="true" />
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="flex min-w-0 max-w-3xl flex-col gap-6">
          <Outlet />
        </div>
      </div>
    </Page>
  )
}
