import type { QueryClient } from '@tanstack/react-query'
import { createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
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
  component: lazyRouteComponent(() => import('./pages/dashboard/DashboardPage.tsx'), 'DashboardPage'),
})

const signInRoute = createRoute({
  ...open('/sign-in'),
  validateSearch: (search: Record<string, unknown>): { next?: string } =>
    typeof search['next'] === 'string' ? { next: search['next'] } : {},
  beforeLoad: async ({ context, search }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery).catch(() => null)
    if (session !== null) throw redirect({ href: `/app${readNextPlace(search.next)}` })
  },
  component: lazyRouteComponent(() => import('./pages/people/SignInPage.tsx'), 'SignInPage'),
})
const signUpRoute = createRoute({
  ...open('/sign-up'),
  component: lazyRouteComponent(() => import('./pages/people/SignUpPage.tsx'), 'SignUpPage'),
})
const setupRoute = createRoute({
  ...open('/setup'),
  component: lazyRouteComponent(() => import('./pages/people/SetupPage.tsx'), 'SetupPage'),
})
const verifyEmailRoute = createRoute({
  ...open('/verify-email'),
  component: lazyRouteComponent(() => import('./pages/people/VerifyEmailPage.tsx'), 'VerifyEmailPage'),
})
const forgotPasswordRoute = createRoute({
  ...open('/forgot-password'),
  component: lazyRouteComponent(() => import('./pages/people/ForgotPasswordPage.tsx'), 'ForgotPasswordPage'),
})
const resetPasswordRoute = createRoute({
  ...open('/reset-password'),
  component: lazyRouteComponent(() => import('./pages/people/ResetPasswordPage.tsx'), 'ResetPasswordPage'),
})
const acceptInvitationRoute = createRoute({
  ...open('/accept-invitation'),
  component: lazyRouteComponent(() => import('./pages/people/AcceptInvitationPage.tsx'), 'AcceptInvitationPage'),
})

const quickStartRoute = createRoute({
  ...page('/quick-start'),
  validateSearch: readQuickStartSearch,
  component: lazyRouteComponent(() => import('./pages/quick-start/QuickStartPage.tsx'), 'QuickStartPage'),
})
const validateRoute = createRoute({
  ...page('/validate'),
  component: lazyRouteComponent(() => import('./pages/validate/ValidatePage.tsx'), 'ValidatePage'),
})
const keptRoute = createRoute({
  ...page('/validate/$validationId'),
  component: lazyRouteComponent(() => import('./pages/validate/KeptPage.tsx'), 'KeptPage'),
})
const listsRoute = createRoute({
  ...page('/lists'),
  validateSearch: readListsSearch,
  component: lazyRouteComponent(() => import('./pages/lists/ListsPage.tsx'), 'ListsPage'),
})
const newListRoute = createRoute({
  ...page('/lists/new'),
  validateSearch: readNewListSearch,
  component: lazyRouteComponent(() => import('./pages/lists/NewListPage.tsx'), 'NewListPage'),
})
const listRoute = createRoute({
  ...page('/lists/$jobId'),
  validateSearch: readListSearch,
  component: lazyRouteComponent(() => import('./pages/lists/ListPage.tsx'), 'ListPage'),
})
const keysRoute = createRoute({
  ...page('/keys'),
  validateSearch: readKeysSearch,
  component: lazyRouteComponent(() => import('./pages/keys/KeysPage.tsx'), 'KeysPage'),
})
const usageRoute = createRoute({
  ...page('/usage'),
  validateSearch: readUsageSearch,
  component: lazyRouteComponent(() => import('./pages/usage/UsagePage.tsx'), 'UsagePage'),
})
const requestsRoute = createRoute({
  ...page('/requests'),
  validateSearch: readRequestsSearch,
  component: lazyRouteComponent(() => import('./pages/requests/RequestsPage.tsx'), 'RequestsPage'),
})

const billingRoute = createRoute({
  ...page('/billing'),
  validateSearch: readBillingSearch,
  component: lazyRouteComponent(() => import('./pages/billing/BillingPage.tsx'), 'BillingPage'),
})

const policiesRoute = createRoute({
  ...page('/policies'),
  component: lazyRouteComponent(() => import('./pages/policies/PoliciesPage.tsx'), 'PoliciesPage'),
})
const policyRoute = createRoute({
  ...page('/policies/$name'),
  validateSearch: readPolicySearch,
  component: lazyRouteComponent(() => import('./pages/policies/PolicyPage.tsx'), 'PolicyPage'),
})

const webhooksRoute = createRoute({
  ...page('/webhooks'),
  validateSearch: readWebhooksSearch,
  component: lazyRouteComponent(() => import('./pages/webhooks/WebhooksPage.tsx'), 'WebhooksPage'),
})
const webhookRoute = createRoute({
  ...page('/webhooks/$webhookId'),
  validateSearch: readWebhookSearch,
  component: lazyRouteComponent(() => import('./pages/webhooks/WebhookPage.tsx'), 'WebhookPage'),
})

const newOrganisationRoute = createRoute({
  ...page('/organisations/new'),
  component: lazyRouteComponent(() => import('./pages/people/NewOrganisationPage.tsx'), 'NewOrganisationPage'),
})

const routeTree = rootRoute.addChildren([
  signInRoute,
  signUpRoute,
  setupRoute,
  verifyEmailRoute,
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
    // Links are pages, and their state is plain text: ?status=valid and not ?status=%22valid%22.
    trailingSlash: 'never',
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>
  }
}
