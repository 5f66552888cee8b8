import { Link, type LinkProps } from '@tanstack/react-router'
import { ListChecks, type LucideIcon, MailCheck, Terminal } from 'lucide-react'

type Start = { to: LinkProps['to'] & string; Icon: LucideIcon; title: string; about: string }

const STARTS: Start[] = [
  {
    to: '/validate',
    Icon: MailCheck,
    title: 'Validate an address',
    about: 'See a verdict and what it rests on, in a few seconds.',
  },
  {
    to: '/quick-start',
    Icon: Terminal,
    title: 'Make a request',
    about: 'A test key and code that runs as it stands.',
  },
  {
    to: '/lists/new',
    Icon: ListChecks,
    title: 'Clean a list',
    about: 'From a file to one without addresses that bounce.',
  },
]

/** In place of charts that would show nothing. */
export function StartCards() {
  return (
    <>
      <p className="text-soft">Nothing was asked in this mode yet. What is asked shows up here.</p>
      <ul aria-label="Ways to begin" className="grid grid-cols-1 gap-4 md:grid-cols-3">
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
