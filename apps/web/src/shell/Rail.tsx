import { Link } from '@tanstack/react-router'
import { ExternalLink } from 'lucide-react'
import { useSession } from '../session/session.ts'
import { Mark } from '../ui/Mark.tsx'
import { type ExternalEntry, isShownTo, MAIN, type NavigationEntry } from './navigation.ts'

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
        {MAIN.map(({ label, entries }, n) => (
          <div key={n} className="last:mt-auto">
            {label && <p className="px-2.5 pb-1 text-xs font-medium text-faint">{label}</p>}
            <ul aria-label={label} className="flex flex-col gap-0.5">
              {entries.filter(isShownTo(person)).map((entry) => (
                <li key={entry.label}>
                  <RailLink entry={entry} />
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </nav>
  )
}

function RailLink({ entry }: { entry: NavigationEntry | ExternalEntry }) {
  const { label, Icon } = entry
  if ('to' in entry) {
    return (
      <Link to={entry.to} className={ITEM}>
        <Icon aria-hidden="true" />
        {label}
      </Link>
    )
  }
  return (
    <a href={entry.href} className={ITEM}>
      <Icon aria-hidden="true" />
      {label}
      <ExternalLink className="ms-auto size-3.5! opacity-60" aria-hidden="true" />
    </a>
  )
}
