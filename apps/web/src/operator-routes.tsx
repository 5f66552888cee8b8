import { createRoute, redirect } from '@tanstack/react-router'
import { lazyPage } from './offline/import-page.ts'
import { readOperatorAuditSearch } from './pages/audit/audit-search.ts'
import { readAccountsSearch } from './pages/operator/accounts-search.ts'
import { readProvidersSearch } from './pages/operator/providers-search.ts'
import { page } from './shell-route.tsx'

const operatorRoute = createRoute({
  ...page('/operator'),
  component: lazyPage(() => import('./pages/operator/OperatorPage.tsx'), 'OperatorPage'),
})
const operatorPage = <const P extends string>(path: P) => ({ getParentRoute: () => operatorRoute, path })
const operatorIndexRoute = createRoute({
  ...operatorPage('/'),
  beforeLoad: () => {
    throw redirect({ to: '/operator/health' })
  },
})
const healthRoute = createRoute({
  ...operatorPage('/health'),
  component: lazyPage(() => import('./pages/operator/Health.tsx'), 'Health'),
})
const doctorRoute = createRoute({
  ...operatorPage('/doctor'),
  component: lazyPage(() => import('./pages/operator/Doctor.tsx'), 'Doctor'),
})
const providersRoute = createRoute({
  ...operatorPage('/providers'),
  validateSearch: readProvidersSearch,
  component: lazyPage(() => import('./pages/operator/Providers.tsx'), 'Providers'),
})
const egressRoute = createRoute({
  ...operatorPage('/egress'),
  component: lazyPage(() => import('./pages/operator/Egresses.tsx'), 'Egresses'),
})
const queuesRoute = createRoute({
  ...operatorPage('/queues'),
  component: lazyPage(() => import('./pages/operator/Queues.tsx'), 'Queues'),
})
const reviewsRoute = createRoute({
  ...operatorPage('/reviews'),
  component: lazyPage(() => import('./pages/operator/Reviews.tsx'), 'Reviews'),
})
const accountsRoute = createRoute({
  ...operatorPage('/accounts'),
  validateSearch: readAccountsSearch,
  component: lazyPage(() => import('./pages/operator/Accounts.tsx'), 'Accounts'),
})
const repliesRoute = createRoute({
  ...operatorPage('/replies'),
  component: lazyPage(() => import('./pages/operator/Replies.tsx'), 'Replies'),
})
const wholeAuditRoute = createRoute({
  ...operatorPage('/audit-log'),
  validateSearch: readOperatorAuditSearch,
  component: lazyPage(() => import('./pages/audit/WholeAuditLog.tsx'), 'WholeAuditLog'),
})

/** The operator pages. */
export const operatorRoutes = operatorRoute.addChildren([
  operatorIndexRoute,
  healthRoute,
  doctorRoute,
  providersRoute,
  egressRoute,
  queuesRoute,
  reviewsRoute,
  accountsRoute,
  repliesRoute,
  wholeAuditRoute,
])
