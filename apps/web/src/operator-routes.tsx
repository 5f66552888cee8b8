import { createRoute, redirect } from '@tanstack/react-router'
import { readOperatorAuditSearch } from './pages/accounts/audit/audit-search.ts'
import { readAccountsSearch } from './pages/operators/accounts-search.ts'
import { readProvidersSearch } from './pages/operators/providers-search.ts'
import { lazyPage } from './session/import-page.ts'
import { page } from './shell-route.tsx'

const operatorRoute = createRoute({
  ...page('/operator'),
  component: lazyPage(() => import('./pages/operators/OperatorPage.tsx'), 'OperatorPage'),
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
  component: lazyPage(() => import('./pages/operators/Health.tsx'), 'Health'),
})
const doctorRoute = createRoute({
  ...operatorPage('/doctor'),
  component: lazyPage(() => import('./pages/operators/Doctor.tsx'), 'Doctor'),
})
const providersRoute = createRoute({
  ...operatorPage('/providers'),
  validateSearch: readProvidersSearch,
  component: lazyPage(() => import('./pages/operators/Providers.tsx'), 'Providers'),
})
const egressRoute = createRoute({
  ...operatorPage('/egress'),
  component: lazyPage(() => import('./pages/operators/Egresses.tsx'), 'Egresses'),
})
const queuesRoute = createRoute({
  ...operatorPage('/queues'),
  component: lazyPage(() => import('./pages/operators/Queues.tsx'), 'Queues'),
})
const reviewsRoute = createRoute({
  ...operatorPage('/reviews'),
  component: lazyPage(() => import('./pages/operators/Reviews.tsx'), 'Reviews'),
})
const accountsRoute = createRoute({
  ...operatorPage('/accounts'),
  validateSearch: readAccountsSearch,
  component: lazyPage(() => import('./pages/operators/Accounts.tsx'), 'Accounts'),
})
const repliesRoute = createRoute({
  ...operatorPage('/replies'),
  component: lazyPage(() => import('./pages/operators/Replies.tsx'), 'Replies'),
})
const wholeAuditRoute = createRoute({
  ...operatorPage('/audit-log'),
  validateSearch: readOperatorAuditSearch,
  component: lazyPage(() => import('./pages/accounts/audit/WholeAuditLog.tsx'), 'WholeAuditLog'),
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
