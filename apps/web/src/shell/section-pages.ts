import { Building2, Database, History, ListFilter, Mail, Network } from 'lucide-react'
import { MEMBERS, type NavigationEntry, PROFILE, SECURITY } from './navigation.ts'

export const SETTINGS_PAGES: readonly NavigationEntry[] = [
  PROFILE,
  SECURITY,
  { to: '/settings/notices', label: 'Notifications', Icon: Mail },
  MEMBERS,
  { to: '/settings/account', label: 'Account', Icon: Building2 },
  { to: '/settings/allow-and-block', label: 'Allow & block lists', Icon: ListFilter },
  { to: '/settings/network', label: 'Network', Icon: Network },
  { to: '/settings/data', label: 'Data', Icon: Database },
  { to: '/settings/audit-log', label: 'Audit log', Icon: History },
]

export const OPERATOR_PAGES: readonly Omit<NavigationEntry, 'Icon'>[] = [
  { to: '/operator/health', label: 'Health' },
  { to: '/operator/doctor', label: 'Doctor' },
  { to: '/operator/providers', label: 'Providers' },
  { to: '/operator/egress', label: 'Egress' },
  { to: '/operator/queues', label: 'Queues' },
  { to: '/operator/reviews', label: 'Reviews' },
  { to: '/operator/accounts', label: 'Accounts' },
  { to: '/operator/replies', label: 'Replies' },
  { to: '/operator/audit-log', label: 'Audit log' },
]
