import type { QueryClient } from '@tanstack/react-query'
import { createRoute, createRouter, redirect } from '@tanstack/react-router'
import { lazyPage } from './offline/import-page.ts'
import { operatorRoutes } from './operator-routes.tsx'
import { readBillingSearch } from './pages/billing/billing-search.ts'
import { readDashboardSearch } from './pages/dashboard/dashboard-search.ts'
import { readKeysSearch } from './pages/keys/keys-search.ts'
import { readListSearch } from './pages/lists/list-search.ts'
import { readListsSearch } from './pages/lists/lists-search.ts'
import { readNewListSearch } from './pages/lists/new-list-search.ts'
import { readNextPlace } from './pages/people/next-place.ts'
import { readPolicySearch } from './pages/policies/policy-search.ts'
import { readQuickStartSearch } from './pages/quick-start/quick-start-search.ts'
import { readRequestsSearch } from './pages/requests/requests-search.ts'
import { readUsageSearch } from './pages/usage/usage-search.ts'
import { readWebhookSearch } from './pages/webhooks/webhook-search.ts'
import { readWebhooksSearch } from './pages/webhooks/webhooks-search.ts'
import { sessionQuery } from './session/session.ts'
import { settingsRoutes } from './settings-routes.tsx'
import { open, page, rootRoute, shellRoute } from './shell-route.tsx'

const indexRoute = createRoute({
  ...page('/'),
  validateSearch: readDashboardSearch,
  component: lazyPage(() => import('./pages/dashboard/DashboardPage.tsx'), 'DashboardPage'),
})

const signInRoute = createRoute({
  ...open('/sign-in'),
  validateSearch: (search: Record<string, unknown>): { next?: string } =>
    typeof search['next'] === 'string' ? { next: search['next'] } : {},
  beforeLoad: async ({ context, search }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery).catch(() => null)
    if (session !== null) throw redirect({ href: `/app${readNextPlace(search.next)}` })
  },
  component: lazyPage(() => import('./pages/people/SignInPage.tsx'), 'SignInPage'),
})
const signUpRoute = createRoute({
  ...open('/sign-up'),
  component: lazyPage(() => import('./pages/people/SignUpPage.tsx'), 'SignUpPage'),
})
const setupRoute = createRoute({
  ...open('/setup'),
  component: lazyPage(() => import('./pages/people/SetupPage.tsx'), 'SetupPage'),
})
const verifyEmailRoute = createRoute({
  ...open('/verify-email'),
  component: lazyPage(() => import('./pages/people/VerifyEmailPage.tsx'), 'VerifyEmailPage'),
})
const confirmEmailRoute = createRoute({
  ...open('/confirm-email'),
  component: lazyPage(() => import('./pages/people/ConfirmEmailPage.tsx'), 'ConfirmEmailPage'),
})
const forgotPasswordRoute = createRoute({
  ...open('/forgot-password'),
  component: lazyPage(() => import('./pages/people/ForgotPasswordPage.tsx'), 'ForgotPasswordPage'),
})
const resetPasswordRoute = createRoute({
  ...open('/reset-password'),
  component: lazyPage(() => import('./pages/people/ResetPasswordPage.tsx'), 'ResetPasswordPage'),
})
const acceptInvitationRoute = createRoute({
  ...open('/accept-invitation'),
  component: lazyPage(() => import('./pages/people/AcceptInvitationPage.tsx'), 'AcceptInvitationPage'),
})

const quickStartRoute = createRoute({
  ...page('/quick-start'),
  validateSearch: readQuickStartSearch,
  component: lazyPage(() => import('./pages/quick-start/QuickStartPage.tsx'), 'QuickStartPage'),
})
const validateRoute = createRoute({
  ...page('/validate'),
  component: lazyPage(() => import('./pages/validate/ValidatePage.tsx'), 'ValidatePage'),
})
const keptRoute = createRoute({
  ...page('/validate/$validationId'),
  component: lazyPage(() => import('./pages/validate/KeptPage.tsx'), 'KeptPage'),
})
const listsRoute = createRoute({
  ...page('/lists'),
  validateSearch: readListsSearch,
  component: lazyPage(() => import('./pages/lists/ListsPage.tsx'), 'ListsPage'),
})
const newListRoute = createRoute({
  ...page('/lists/new'),
  validateSearch: readNewListSearch,
  component: lazyPage(() => import('./pages/lists/NewListPage.tsx'), 'NewListPage'),
})
const listRoute = createRoute({
  ...page('/lists/$jobId'),
  validateSearch: readListSearch,
  component: lazyPage(() => import('./pages/lists/ListPage.tsx'), 'ListPage'),
})
const keysRoute = createRoute({
  ...page('/keys'),
  validateSearch: readKeysSearch,
  component: lazyPage(() => import('./pages/keys/KeysPage.tsx'), 'KeysPage'),
})
const usageRoute = createRoute({
  ...page('/usage'),
  validateSearch: readUsageSearch,
  component: lazyPage(() => import('./pages/usage/UsagePage.tsx'), 'UsagePage'),
})
const requestsRoute = createRoute({
  ...page('/requests'),
  validateSearch: readRequestsSearch,
  component: lazyPage(() => import('./pages/requests/RequestsPage.tsx'), 'RequestsPage'),
})

const billingRoute = createRoute({
  ...page('/billing'),
  validateSearch: readBillingSearch,
  component: lazyPage(() => import('./pages/billing/BillingPage.tsx'), 'BillingPage'),
})

const policiesRoute = createRoute({
  ...page('/policies'),
  component: lazyPage(() => import('./pages/policies/PoliciesPage.tsx'), 'PoliciesPage'),
})
const policyRoute = createRoute({
  ...page('/policies/$name'),
  validateSearch: readPolicySearch,
  component: lazyPage(() => import('./pages/policies/PolicyPage.tsx'), 'PolicyPage'),
})

const webhooksRoute = createRoute({
  ...page('/webhooks'),
  validateSearch: readWebhooksSearch,
  component: lazyPage(() => import('./pages/webhooks/WebhooksPage.tsx'), 'WebhooksPage'),
})
const webhookRoute = createRoute({
  ...page('/webhooks/$webhookId'),
  validateSearch: readWebhookSearch,
  component: lazyPage(() => import('./pages/webhooks/WebhookPage.tsx'), 'WebhookPage'),
})

const newOrganisationRoute = createRoute({
  ...page('/accounts/new'),
  component: lazyPage(() => import('./pages/people/NewAccountPage.tsx'), 'NewAccountPage'),
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
