import { Link } from '@tanstack/react-router'
import { ExternalLink } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSession } from '../session/session.ts'
import { Mark } from '../ui/Mark.tsx'
import {
  BILLING,
  DASHBOARD,
  DOCS,
  KEYS,
  LISTS,
  OPERATOR,
  POLICIES,
  QUICK_START,
  REFERENCE,
  REQUESTS,
  SETTINGS,
  USAGE,
  VALIDATE,
  WEBHOOKS,
} from './navigation.ts'

const ITEM =
  'group flex min-h-9 items-center gap-2.5 rounded-md px-2.5 text-soft transition-colors hover:bg-hover hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent-text [&_svg]:size-4 [&_svg]:shrink-0'

/** The navigation on wide screens. */
export function Rail() {
  const { person } = useSession()
  return (
    <nav
      aria-label="Main"
      className="sticky top-0 hidden h-dvh flex-col gap-6 overflow-y-auto border-e border-line bg-surface px-3 py-4 lg:flex"
    >
      <Link to="/" className="flex items-center gap-2.5 rounded-md px-2 py-1">
        <Mark />
        <span className="text-[1.0625rem] font-semibold tracking-[-0.02em]">Probity</span>
      </Link>
      <div className="flex flex-1 flex-col gap-6">
        <ul className="flex flex-col gap-0.5">
          <RailLink place={DASHBOARD} />
          <RailLink place={QUICK_START} />
        </ul>
        <RailGroup label="Validation">
          <RailLink place={VALIDATE} />
          <RailLink place={LISTS} />
          <RailLink place={POLICIES} />
        </RailGroup>
        <RailGroup label="Developers">
          <RailLink place={KEYS} />
          <RailLink place={REQUESTS} />
          <RailLink place={WEBHOOKS} />
          <RailLinkOut place={DOCS} />
          <RailLinkOut place={REFERENCE} />
        </RailGroup>
        <ul className="flex flex-col gap-0.5">
          <RailLink place={USAGE} />
          <RailLink place={BILLING} />
        </ul>
        <ul className="mt-auto flex flex-col gap-0.5">
          {person.is_operator && <RailLink place={OPERATOR} />}
          <RailLink place={SETTINGS} />
        </ul>
      </div>
    </nav>
  )
}

function RailGroup({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <p className="px-2.5 pb-1 text-xs font-medium text-faint">{label}</p>
      <ul aria-label={label} className="flex flex-col gap-0.5">
        {children}
      </ul>
    </div>
  )
}

/** A link to a page outside the application. */
function RailLinkOut({ place: { href, label, Icon } }: { place: typeof REFERENCE }) {
  return (
    <li>
      <a href={href} className={ITEM}>
        <Icon aria-hidden="true" />
        {label}
        <ExternalLink className="ms-auto size-3.5! opacity-60" aria-hidden="true" />
      </a>
    </li>
  )
}

function RailLink({ place: { to, label, Icon } }: { place: typeof VALIDATE }) {
  return (
    <li>
      <Link to={to} className={ITEM}>
        <Icon aria-hidden="true" />
        {label}
      </Link>
    </li>
  )
}
