import type { QueryClient } from '@tanstack/react-query'
import { createRoute, createRouter, redirect } from '@tanstack/react-router'
import { operatorRoutes } from './operator-routes.tsx'
import { readDashboardSearch } from './pages/accounts/dashboard/dashboard-search.ts'
import { readKeysSearch } from './pages/accounts/keys/keys-search.ts'
import { readPolicySearch } from './pages/accounts/policies/policy-search.ts'
import { readRequestsSearch } from './pages/accounts/requests/requests-search.ts'
import { readUsageSearch } from './pages/accounts/usage/usage-search.ts'
import { readBillingSearch } from './pages/billing/billing-search.ts'
import { readListSearch } from './pages/jobs/list/list-search.ts'
import { readListsSearch } from './pages/jobs/lists/lists-search.ts'
import { readNewListSearch } from './pages/jobs/new-list/new-list-search.ts'
import { readNextPlace } from './pages/users/sign-in/next-place.ts'
import { readQuickStartSearch } from './pages/validations/quick-start/quick-start-search.ts'
import { readWebhooksSearch } from './pages/webhooks/overview/webhooks-search.ts'
import { readWebhookSearch } from './pages/webhooks/webhook/webhook-search.ts'
import { lazyPage } from './session/import-page.ts'
import { sessionQuery } from './session/session.ts'
import { settingsRoutes } from './settings-routes.tsx'
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
    if (session !== null) throw redirect({ href: `/app${readNextPlace(search.next)}` })
  },
  component: lazyPage(() => import('./pages/users/sign-in/SignInPage.tsx'), 'SignInPage'),
})
const signUpRoute = createRoute({
  ...open('/sign-up'),
  component: lazyPage(() => import('./pages/users/sign-in/SignUpPage.tsx'), 'SignUpPage'),
})
const setupRoute = createRoute({
  ...open('/setup'),
  component: lazyPage(() => import('./pages/users/sign-in/SetupPage.tsx'), 'SetupPage'),
})
const verifyEmailRoute = createRoute({
  ...open('/verify-email'),
  component: lazyPage(() => import('./pages/users/sign-in/VerifyEmailPage.tsx'), 'VerifyEmailPage'),
})
const confirmEmailRoute = createRoute({
  ...open('/confirm-email'),
  component: lazyPage(() => import('./pages/users/sign-in/ConfirmEmailPage.tsx'), 'ConfirmEmailPage'),
})
const forgotPasswordRoute = createRoute({
  ...open('/forgot-password'),
  component: lazyPage(() => import('./pages/users/sign-in/ForgotPasswordPage.tsx'), 'ForgotPasswordPage'),
})
const resetPasswordRoute = createRoute({
  ...open('/reset-password'),
  component: lazyPage(() => import('./pages/users/sign-in/ResetPasswordPage.tsx'), 'ResetPasswordPage'),
})
const acceptInvitationRoute = createRoute({
  ...open('/accept-invitation'),
  component: lazyPage(() => import('./pages/users/invitation/AcceptInvitationPage.tsx'), 'AcceptInvitationPage'),
})

const quickStartRoute = createRoute({
  ...page('/quick-start'),
  validateSearch: readQuickStartSearch,
  component: lazyPage(() => import('./pages/validations/quick-start/QuickStartPage.tsx'), 'QuickStartPage'),
})
const validateRoute = createRoute({
  ...page('/validate'),
  component: lazyPage(() => import('./pages/validations/validate/ValidatePage.tsx'), 'ValidatePage'),
})
const keptRoute = createRoute({
  ...page('/validate/$validationId'),
  component: lazyPage(() => import('./pages/validations/validate/KeptPage.tsx'), 'KeptPage'),
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

const routeTree = rootRoute.addChildren([
  signInRoute,
  signUpRoute,
  setupRoute,
  verifyEmailRoute,
  confirmEmailRoute,
  forgotPasswordRoute,
  resetPasswordRoute,
  acceptInvitationRoute,
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
