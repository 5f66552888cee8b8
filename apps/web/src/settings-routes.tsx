import { createRoute, redirect } from '@tanstack/react-router'
import { lazyPage } from './offline/import-page.ts'
import { readAuditSearch } from './pages/audit/audit-search.ts'
import { readOverridesSearch } from './pages/settings/overrides-search.ts'
import { page } from './shell-route.tsx'

const settingsRoute = createRoute({
  ...page('/settings'),
  component: lazyPage(() => import('./pages/settings/SettingsPage.tsx'), 'SettingsPage'),
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
  component: lazyPage(() => import('./pages/settings/Profile.tsx'), 'Profile'),
})
const securityRoute = createRoute({
  ...settingsPage('/security'),
  component: lazyPage(() => import('./pages/settings/Security.tsx'), 'Security'),
})
const noticesRoute = createRoute({
  ...settingsPage('/notices'),
  component: lazyPage(() => import('./pages/settings/Notices.tsx'), 'Notices'),
})
const membersRoute = createRoute({
  ...settingsPage('/members'),
  component: lazyPage(() => import('./pages/settings/Members.tsx'), 'Members'),
})
const accountRoute = createRoute({
  ...settingsPage('/account'),
  component: lazyPage(() => import('./pages/settings/AccountSettings.tsx'), 'AccountSettings'),
})
const overridesRoute = createRoute({
  ...settingsPage('/allow-and-block'),
  validateSearch: readOverridesSearch,
  component: lazyPage(() => import('./pages/settings/Overrides.tsx'), 'Overrides'),
})
const networkRoute = createRoute({
  ...settingsPage('/network'),
  component: lazyPage(() => import('./pages/settings/Network.tsx'), 'Network'),
})
const yourDataRoute = createRoute({
  ...settingsPage('/data'),
  component: lazyPage(() => import('./pages/settings/YourData.tsx'), 'YourData'),
})

const auditRoute = createRoute({
  ...settingsPage('/audit-log'),
  validateSearch: readAuditSearch,
  component: lazyPage(() => import('./pages/audit/OwnAuditLog.tsx'), 'OwnAuditLog'),
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
