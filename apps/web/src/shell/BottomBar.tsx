import { Link } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { useSession } from '../session/session.ts'
import { Menu } from '../ui/Menu.tsx'
import { MenuEntry } from './MenuEntry.tsx'
import { BOTTOM_BAR, isShownTo, MAIN } from './navigation.ts'

const ITEM =
  'flex h-14 flex-1 flex-col items-center justify-center gap-0.5 text-[0.6875rem] text-soft aria-[current=page]:font-medium aria-[current=page]:text-accent-text [&_svg]:size-5'

const IN_MENU = MAIN.flatMap(({ entries }) => entries).filter((entry) => !BOTTOM_BAR.some((shown) => shown === entry))

/** The navigation on phones. */
export function BottomBar() {
  const { person } = useSession()
  return (
    <nav aria-label="Main" className="fixed inset-x-0 bottom-0 z-30 flex border-t border-line bg-surface lg:hidden">
      {BOTTOM_BAR.map(({ to, label, Icon }) => (
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
        {IN_MENU.filter(isShownTo(person)).map((entry) => (
          <MenuEntry key={entry.label} place={entry} />
        ))}
      </Menu>
    </nav>
  )
}
