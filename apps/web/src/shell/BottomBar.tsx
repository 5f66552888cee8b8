import { Link } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { useSession } from '../session/session.ts'
import { Menu } from '../ui/Menu.tsx'
import { MenuEntry } from './MenuEntry.tsx'
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
  'flex h-14 flex-1 flex-col items-center justify-center gap-0.5 text-[0.6875rem] text-soft aria-[current=page]:font-medium aria-[current=page]:text-accent-text [&_svg]:size-5'

/** The navigation on phones. */
export function BottomBar() {
  const { person } = useSession()
  return (
    <nav aria-label="Main" className="fixed inset-x-0 bottom-0 z-30 flex border-t border-line bg-surface lg:hidden">
      {[VALIDATE, LISTS, KEYS].map(({ to, label, Icon }) => (
        <Link key={to} to={to} className={ITEM}>
          <Icon aria-hidden="true" />
          {label}
        </Link>
      ))}
      <Menu
        label="More"
        trigger={
          <button type="button" className={ITEM}>
            <Ellipsis aria-hidden="true" />
            More
          </button>
        }
      >
        <MenuEntry place={DASHBOARD} />
        <MenuEntry place={QUICK_START} />
        <MenuEntry place={POLICIES} />
        <MenuEntry place={REQUESTS} />
        <MenuEntry place={WEBHOOKS} />
        <MenuEntry place={USAGE} />
        <MenuEntry place={BILLING} />
        <MenuEntry place={DOCS} />
        <MenuEntry place={REFERENCE} />
        {person.is_operator && <MenuEntry place={OPERATOR} />}
        <MenuEntry place={SETTINGS} />
      </Menu>
    </nav>
  )
}
