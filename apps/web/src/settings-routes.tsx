import { createRoute, redirect } from '@tanstack/react-router'
import { readAuditSearch } from './pages/accounts/audit/audit-search.ts'
import { readOverridesSearch } from './pages/accounts/overrides/overrides-search.ts'
import { lazyPage } from './session/import-page.ts'
import { page } from './shell-route.tsx'

const settingsRoute = createRoute({
  ...page('/settings'),
  component: lazyPage(() => import('./pages/accounts/settings/SettingsPage.tsx'), 'SettingsPage'),
})
const settingsPage = <const P extends string>(path: P) => ({ getParentRoute: () => settingsRoute, path })
const settingsIndexRoute = createRoute({
  ...settingsPage('/'),
  beforeLoad: () => {
    throw redirect({ to: '/settings/profile' })
  },
})
const profileRoute = createRoute({
  ...settingsPage('/profile'),
  component: lazyPage(() => import('./pages/users/profile/Profile.tsx'), 'Profile'),
})
const securityRoute = createRoute({
  ...settingsPage('/security'),
  component: lazyPage(() => import('./pages/users/profile/Security.tsx'), 'Security'),
})
const noticesRoute = createRoute({
  ...settingsPage('/notices'),
  component: lazyPage(() => import('./pages/users/notifications/Notices.tsx'), 'Notices'),
})
const membersRoute = createRoute({
  ...settingsPage('/members'),
  component: lazyPage(() => import('./pages/users/members/Members.tsx'), 'Members'),
})
const accountRoute = createRoute({
  ...settingsPage('/account'),
  component: lazyPage(() => import('./pages/accounts/settings/AccountSettings.tsx'), 'AccountSettings'),
})
const overridesRoute = createRoute({
  ...settingsPage('/allow-and-block'),
  validateSearch: readOverridesSearch,
  component: lazyPage(() => import('./pages/accounts/overrides/Overrides.tsx'), 'Overrides'),
})
const networkRoute = createRoute({
  ...settingsPage('/network'),
  component: lazyPage(() => import('./pages/accounts/settings/Network.tsx'), 'Network'),
})
const yourDataRoute = createRoute({
  ...settingsPage('/data'),
  component: lazyPage(() => import('./pages/accounts/settings/YourData.tsx'), 'YourData'),
})

const auditRoute = createRoute({
  ...settingsPage('/audit-log'),
  validateSearch: readAuditSearch,
  component: lazyPage(() => import('./pages/accounts/audit/OwnAuditLog.tsx'), 'OwnAuditLog'),
})

/** The settings of the user and of the account. */
export const settingsRoutes = settingsRoute.addChildren([
  settingsIndexRoute,
  profileRoute,
  securityRoute,
  noticesRoute,
  membersRoute,
  accountRoute,
  overridesRoute,
  networkRoute,
  yourDataRoute,
  auditRoute,
])
