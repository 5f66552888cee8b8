import type { QueryClient } from '@tanstack/react-query'
import { createRoute, createRouter, redirect } from '@tanstack/react-router'
import {
  readAuditSearch,
  readDashboardSearch,
  readKeysSearch,
  readOperatorAuditSearch,
  readOverridesSearch,
  readPolicySearch,
  readRequestsSearch,
  readUsageSearch,
} from './pages/accounts/search.ts'
import { readListSearch, readListsSearch, readNewListSearch } from './pages/jobs/search.ts'
import { readAccountsSearch, readProvidersSearch } from './pages/operators/search.ts'
import { readNextPath } from './pages/users/sign-in/next-path.ts'
import { readQuickStartSearch } from './pages/validations/search.ts'
import { readWebhookSearch, readWebhooksSearch } from './pages/webhooks/search.ts'
import { lazyPage } from './session/import-page.ts'
import { sessionQuery } from './session/session.ts'
import { open, page, rootRoute, shellRoute } from './shell-route.tsx'

const indexRoute = createRoute({
  ...page('/'),
  validateSearch: readDashboardSearch,
  component: lazyPage(() => import('./pages/accounts/dashboard/DashboardPage.tsx'), 'DashboardPage'),
})

const signInRoute = createRoute({
  ...open('/sign-in'),
  validateSearch: (search: Record<string, unknown>): { next?: string } =>
    typeof search['next'] === 'string' ? { next: search['next'] } : {},
  beforeLoad: async ({ context, search }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery).catch(() => null)
    if (session !== null) throw redirect({ href: `/app${readNextPath(search.next)}` })
  },
  component: lazyPage(() => import('./pages/users/sign-in/SignInPage.tsx'), 'SignInPage'),
})
const signUpRoute = createRoute({
  ...open('/sign-up'),
  component: lazyPage(() => import('./pages/users/sign-in/SignUpPage.tsx'), 'SignUpPage'),
})
const setupRoute = createRoute({
  ...open('/setup'),
  component: lazyPage(() => import('./pages/users/sign-in/SignUpPage.tsx'), 'SetupPage'),
})
const verifyEmailRoute = createRoute({
  ...open('/verify-email'),
  component: lazyPage(() => import('./pages/users/sign-in/ConfirmEmailPages.tsx'), 'VerifyEmailPage'),
})
const confirmEmailRoute = createRoute({
  ...open('/confirm-email'),
  component: lazyPage(() => import('./pages/users/sign-in/ConfirmEmailPages.tsx'), 'ConfirmEmailPage'),
})
const forgotPasswordRoute = createRoute({
  ...open('/forgot-password'),
  component: lazyPage(() => import('./pages/users/sign-in/PasswordResetPages.tsx'), 'ForgotPasswordPage'),
})
const resetPasswordRoute = createRoute({
  ...open('/reset-password'),
  component: lazyPage(() => import('./pages/users/sign-in/PasswordResetPages.tsx'), 'ResetPasswordPage'),
})
const acceptInvitationRoute = createRoute({
  ...open('/accept-invitation'),
  component: lazyPage(() => import('./pages/users/invitation/AcceptInvitationPage.tsx'), 'AcceptInvitationPage'),
})

const reportRoute = createRoute({
  ...open('/report'),
  component: lazyPage(() => import('./pages/jobs/report/ReportPage.tsx'), 'ReportPage'),
})

const quickStartRoute = createRoute({
  ...page('/quick-start'),
  validateSearch: readQuickStartSearch,
  // Everything on this page is in test mode, so the page is, too: the switch at the top must not say otherwise.
  beforeLoad: ({ search }) => {
    if (search.mode !== 'test')
      throw redirect({ to: '/quick-start', search: { ...search, mode: 'test' }, replace: true })
  },
  component: lazyPage(() => import('./pages/validations/quick-start/QuickStartPage.tsx'), 'QuickStartPage'),
})
const validateRoute = createRoute({
  ...page('/validate'),
  component: lazyPage(() => import('./pages/validations/validate/ValidatePage.tsx'), 'ValidatePage'),
})
const keptRoute = createRoute({
  ...page('/validate/$validationId'),
  component: lazyPage(() => import('./pages/validations/validate/ValidationPage.tsx'), 'ValidationPage'),
})
const listsRoute = createRoute({
  ...page('/lists'),
  validateSearch: readListsSearch,
  component: lazyPage(() => import('./pages/jobs/lists/ListsPage.tsx'), 'ListsPage'),
})
const newListRoute = createRoute({
  ...page('/lists/new'),
  validateSearch: readNewListSearch,
  component: lazyPage(() => import('./pages/jobs/new-list/NewListPage.tsx'), 'NewListPage'),
})
const listRoute = createRoute({
  ...page('/lists/$jobId'),
  validateSearch: readListSearch,
  component: lazyPage(() => import('./pages/jobs/list/ListPage.tsx'), 'ListPage'),
})
const keysRoute = createRoute({
  ...page('/keys'),
  validateSearch: readKeysSearch,
  component: lazyPage(() => import('./pages/accounts/keys/KeysPage.tsx'), 'KeysPage'),
})
const usageRoute = createRoute({
  ...page('/usage'),
  validateSearch: readUsageSearch,
  component: lazyPage(() => import('./pages/accounts/usage/UsagePage.tsx'), 'UsagePage'),
})
const requestsRoute = createRoute({
  ...page('/requests'),
  validateSearch: readRequestsSearch,
  component: lazyPage(() => import('./pages/accounts/requests/RequestsPage.tsx'), 'RequestsPage'),
})

const billingRoute = createRoute({
  ...page('/billing'),
  validateSearch: readBillingSearch,
  component: lazyPage(() => import('./pages/billing/BillingPage.tsx'), 'BillingPage'),
})

const policiesRoute = createRoute({
  ...page('/policies'),
  component: lazyPage(() => import('./pages/accounts/policies/PoliciesPage.tsx'), 'PoliciesPage'),
})
const policyRoute = createRoute({
  ...page('/policies/$name'),
  validateSearch: readPolicySearch,
  component: lazyPage(() => import('./pages/accounts/policies/PolicyPage.tsx'), 'PolicyPage'),
})

const webhooksRoute = createRoute({
  ...page('/webhooks'),
  validateSearch: readWebhooksSearch,
  component: lazyPage(() => import('./pages/webhooks/overview/WebhooksPage.tsx'), 'WebhooksPage'),
})
const webhookRoute = createRoute({
  ...page('/webhooks/$webhookId'),
  validateSearch: readWebhookSearch,
  component: lazyPage(() => import('./pages/webhooks/webhook/WebhookPage.tsx'), 'WebhookPage'),
})

const newOrganisationRoute = createRoute({
  ...page('/accounts/new'),
  component: lazyPage(() => import('./pages/accounts/new-account/NewAccountPage.tsx'), 'NewAccountPage'),
})

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
  component: lazyPage(() => import('./pages/users/notifications/Notifications.tsx'), 'Notifications'),
})
const membersRoute = createRoute({
  ...settingsPage('/members'),
  component: lazyPage(() => import('./pages/users/members/MembersPage.tsx'), 'Members'),
})
const accountRoute = createRoute({
  ...settingsPage('/account'),
  component: lazyPage(() => import('./pages/accounts/settings/AccountSettings.tsx'), 'AccountSettings'),
})
const overridesRoute = createRoute({
  ...settingsPage('/allow-and-block'),
  validateSearch: readOverridesSearch,
  component: lazyPage(() => import('./pages/accounts/overrides/OverridesPage.tsx'), 'Overrides'),
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
  component: lazyPage(() => import('./pages/accounts/audit/AuditLog.tsx'), 'OwnAuditLog'),
})

/** The settings of the user and of the account. */
const settingsRoutes = settingsRoute.addChildren([
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
  component: lazyPage(() => import('./pages/accounts/audit/AuditLog.tsx'), 'WholeAuditLog'),
})

/** The operator pages. */
const operatorRoutes = operatorRoute.addChildren([
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

/** The outcome of a checkout and its session id, as the return URL names them. */
const RETURNS = ['paid', 'subscribed', 'canceled'] as const
type BillingSearch = { checkout?: (typeof RETURNS)[number]; session?: string }

function readBillingSearch({ checkout, session }: Record<string, unknown>): BillingSearch {
  const returned = RETURNS.find((one) => one === checkout)
  if (returned === undefined) return {}
  return { checkout: returned, ...(typeof session === 'string' && session !== '' && { session }) }
}

const routeTree = rootRoute.addChildren([
  signInRoute,
  signUpRoute,
  setupRoute,
  verifyEmailRoute,
  confirmEmailRoute,
  forgotPasswordRoute,
  resetPasswordRoute,
  acceptInvitationRoute,
  reportRoute,
  shellRoute.addChildren([
    indexRoute,
    quickStartRoute,
    validateRoute,
    keptRoute,
    listsRoute,
    newListRoute,
    listRoute,
    keysRoute,
    policiesRoute,
    policyRoute,
    requestsRoute,
    webhooksRoute,
    webhookRoute,
    usageRoute,
    billingRoute,
    newOrganisationRoute,
    settingsRoutes,
    operatorRoutes,
  ]),
])

export function makeRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    basepath: '/app',
    context: { queryClient },
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    // State in URLs is plain text: ?status=valid and not ?status=%22valid%22.
    trailingSlash: 'never',
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>
  }
}
