import { Link, type LinkProps } from '@tanstack/react-router'
import { ListChecks, type LucideIcon, MailCheck, Terminal } from 'lucide-react'

type Start = { to: LinkProps['to'] & string; Icon: LucideIcon; title: string; about: string }

const STARTS: Start[] = [
  {
    to: '/validate',
    Icon: MailCheck,
    title: 'Validate an address',
    about: 'See a result and its evidence in seconds.',
  },
  {
    to: '/quick-start',
    Icon: Terminal,
    title: 'Make a request',
    about: 'A test key and ready-to-run code.',
  },
  {
    to: '/lists/new',
    Icon: ListChecks,
    title: 'Validate a list',
    about: 'Upload a file and remove addresses that bounce.',
  },
]

/** Shown instead of empty charts. */
export function StartCards() {
  return (
    <>
      <p className="text-soft">No activity in this mode yet. Requests and lists will appear here.</p>
      <ul aria-label="Get started" className="grid grid-cols-1 gap-4 md:grid-cols-3">
        {STARTS.map(({ to, Icon, title, about }) => (
          <li key={title}>
            <Link
              to={to}
              className="flex h-full flex-col gap-2 rounded-lg border border-line bg-surface p-5 shadow-card transition-colors hover:border-edge"
            >
              <Icon className="size-5 text-accent-text" aria-hidden="true" />
              <span className="font-semibold">{title}</span>
              <span className="text-soft">{about}</span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}
