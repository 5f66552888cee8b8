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
export type Place = { to: LinkProps['to'] & string; label: string; Icon: LucideIcon }
/** A page of the service outside the application. */
export type OtherPlace = { href: string; label: string; Icon: LucideIcon }

export const DASHBOARD: Place = { to: '/', label: 'Dashboard', Icon: LayoutDashboard }
export const QUICK_START: Place = { to: '/quick-start', label: 'Quick start', Icon: Rocket }
export const VALIDATE: Place = { to: '/validate', label: 'Validate', Icon: MailCheck }
export const LISTS: Place = { to: '/lists', label: 'Lists', Icon: ListChecks }
export const KEYS: Place = { to: '/keys', label: 'API keys', Icon: KeyRound }
export const REQUESTS: Place = { to: '/requests', label: 'Requests', Icon: ScrollText }
export const WEBHOOKS: Place = { to: '/webhooks', label: 'Webhooks', Icon: Webhook }
export const POLICIES: Place = { to: '/policies', label: 'Policies', Icon: Scale }
export const USAGE: Place = { to: '/usage', label: 'Usage & credits', Icon: ChartColumn }
export const BILLING: Place = { to: '/billing', label: 'Plans & credits', Icon: CreditCard }
export const OPERATOR: Place = { to: '/operator', label: 'Operator', Icon: ServerCog }
export const SETTINGS: Place = { to: '/settings', label: 'Settings', Icon: Settings }

export const PROFILE: Place = { to: '/settings/profile', label: 'Profile', Icon: UserRound }
export const SECURITY: Place = { to: '/settings/security', label: 'Security', Icon: ShieldCheck }
export const MEMBERS: Place = { to: '/settings/members', label: 'Members', Icon: Users }
export const NEW_ACCOUNT: Place = { to: '/accounts/new', label: 'New account', Icon: Plus }

export const DOCS: OtherPlace = { href: '/docs', label: 'Docs', Icon: BookText }
export const REFERENCE: OtherPlace = { href: '/docs/api', label: 'API reference', Icon: BookOpen }
