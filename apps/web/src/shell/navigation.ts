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
export type NavigationEntry = { to: LinkProps['to'] & string; label: string; Icon: LucideIcon }
/** A page of the service outside the application. */
export type ExternalEntry = { href: string; label: string; Icon: LucideIcon }

export const DASHBOARD: NavigationEntry = { to: '/', label: 'Dashboard', Icon: LayoutDashboard }
export const QUICK_START: NavigationEntry = { to: '/quick-start', label: 'Quick start', Icon: Rocket }
export const VALIDATE: NavigationEntry = { to: '/validate', label: 'Validate', Icon: MailCheck }
export const LISTS: NavigationEntry = { to: '/lists', label: 'Lists', Icon: ListChecks }
export const KEYS: NavigationEntry = { to: '/keys', label: 'API keys', Icon: KeyRound }
export const REQUESTS: NavigationEntry = { to: '/requests', label: 'Requests', Icon: ScrollText }
export const WEBHOOKS: NavigationEntry = { to: '/webhooks', label: 'Webhooks', Icon: Webhook }
export const POLICIES: NavigationEntry = { to: '/policies', label: 'Policies', Icon: Scale }
export const USAGE: NavigationEntry = { to: '/usage', label: 'Usage & credits', Icon: ChartColumn }
export const BILLING: NavigationEntry = { to: '/billing', label: 'Plans & credits', Icon: CreditCard }
export const OPERATOR: NavigationEntry = { to: '/operator', label: 'Operator', Icon: ServerCog }
export const SETTINGS: NavigationEntry = { to: '/settings', label: 'Settings', Icon: Settings }

export const PROFILE: NavigationEntry = { to: '/settings/profile', label: 'Profile', Icon: UserRound }
export const SECURITY: NavigationEntry = { to: '/settings/security', label: 'Security', Icon: ShieldCheck }
export const MEMBERS: NavigationEntry = { to: '/settings/members', label: 'Members', Icon: Users }
export const NEW_ACCOUNT: NavigationEntry = { to: '/accounts/new', label: 'New account', Icon: Plus }

export const DOCS: ExternalEntry = { href: '/docs', label: 'Docs', Icon: BookText }
export const REFERENCE: ExternalEntry = { href: '/docs/api', label: 'API reference', Icon: BookOpen }
