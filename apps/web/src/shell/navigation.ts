import type { LinkProps } from '@tanstack/react-router'
import {
  BookOpen,
  BookText,
  ChartColumn,
  CreditCard,
  KeyRound,
  LayoutDashboard,
  ListChecks,
  type LucideIcon,
  MailCheck,
  Plus,
  Rocket,
  Scale,
  ScrollText,
  ServerCog,
  Settings,
  ShieldCheck,
  UserRound,
  Users,
  Webhook,
} from 'lucide-react'

/** A page of the application. */
export type NavigationEntry = { to: LinkProps['to'] & string; label: string; Icon: LucideIcon; isForOperators?: true }
/** A page of the service outside the application. */
export type ExternalEntry = { href: string; label: string; Icon: LucideIcon }

type Entry = NavigationEntry | ExternalEntry
type Group = { label?: string; entries: Entry[] }

const DASHBOARD: NavigationEntry = { to: '/', label: 'Dashboard', Icon: LayoutDashboard }
const QUICK_START: NavigationEntry = { to: '/quick-start', label: 'Quick start', Icon: Rocket }
const VALIDATE: NavigationEntry = { to: '/validate', label: 'Validate', Icon: MailCheck }
const LISTS: NavigationEntry = { to: '/lists', label: 'Lists', Icon: ListChecks }
const KEYS: NavigationEntry = { to: '/keys', label: 'API keys', Icon: KeyRound }
const DOCS: ExternalEntry = { href: '/docs', label: 'Docs', Icon: BookText }
export const REFERENCE: ExternalEntry = { href: '/docs/api', label: 'API reference', Icon: BookOpen }

export const PROFILE: NavigationEntry = { to: '/settings/profile', label: 'Profile', Icon: UserRound }
export const SECURITY: NavigationEntry = { to: '/settings/security', label: 'Security', Icon: ShieldCheck }
export const MEMBERS: NavigationEntry = { to: '/settings/members', label: 'Members', Icon: Users }

/** The main navigation. The last group is at the bottom of the sidebar. */
export const MAIN: readonly Group[] = [
  { entries: [DASHBOARD, QUICK_START] },
  { label: 'Validation', entries: [VALIDATE, LISTS, { to: '/policies', label: 'Policies', Icon: Scale }] },
  {
    label: 'Developers',
    entries: [
      KEYS,
      { to: '/requests', label: 'Requests', Icon: ScrollText },
      { to: '/webhooks', label: 'Webhooks', Icon: Webhook },
      DOCS,
      REFERENCE,
    ],
  },
  {
    entries: [
      { to: '/usage', label: 'Usage & credits', Icon: ChartColumn },
      { to: '/billing', label: 'Plans & credits', Icon: CreditCard },
    ],
  },
  {
    entries: [
      { to: '/operator', label: 'Operator', Icon: ServerCog, isForOperators: true },
      { to: '/settings', label: 'Settings', Icon: Settings },
    ],
  },
]

/** The entries of the bottom bar on phones. All others are in its menu. */
export const BOTTOM_BAR: readonly NavigationEntry[] = [VALIDATE, LISTS, KEYS]

export const HELP_MENU: readonly Entry[] = [QUICK_START, DOCS, REFERENCE]
export const PROFILE_MENU: readonly Entry[] = [PROFILE, SECURITY]
export const NEW_ACCOUNT: NavigationEntry = { to: '/accounts/new', label: 'New account', Icon: Plus }

/** Whether a user sees an entry. */
export function isShownTo(person: { is_operator: boolean }): (entry: Entry) => boolean {
  return (entry) => person.is_operator || !('isForOperators' in entry)
}
