import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router'
import type { Mode } from './api/probity.ts'
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
import { readListingsSearch } from './pages/settings/listings-search.ts'
import { readUsageSearch } from './pages/usage/usage-search.ts'
import { readWebhookSearch } from './pages/webhooks/webhook-search.ts'
import { readWebhooksSearch } from './pages/webhooks/webhooks-search.ts'
import { sessionQuery } from './session/session.ts'
import { Missing } from './shell/Missing.tsx'
import { PageFailed } from './shell/PageFailed.tsx'
import { Shell } from './shell/Shell.tsx'

type Context = { queryClient: QueryClient }

/** What every address of the application may carry: test mode, and the organisation where there are several. */
export type SceneSearch = { mode?: Extract<Mode, 'test'> | undefined; org?: string | undefined }

function readSceneSearch(search: Record<string, unknown>): SceneSearch {
  return {
    ...(search['mode'] === 'test' && { mode: 'test' as const }),
    ...(typeof search['org'] === 'string' && { org: search['org'] }),
  }
}

const rootRoute = createRootRouteWithContext<Context>()({
  validateSearch: readSceneSearch,
  search: { middlewares: [retainSearchParams(['mode', 'org'])] },
  notFoundComponent: Missing,
  errorComponent: PageFailed,
})

/** Everything behind the sign-in. Who is not signed in comes back here afterwards. */
const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery)
    if (session === null) throw redirect({ to: '/sign-in', search: { next: location.href } })
  },
})

const page = <const P extends string>(path: P) => ({ getParentRoute: () => shellRoute, path })
const open = <const P extends string>(path: P) => ({ getParentRoute: () => rootRoute, path })

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

const settingsRoute = createRoute({
  ...page('/settings'),
  component: lazyRouteComponent(() => import('./pages/settings/SettingsPage.tsx'), 'SettingsPage'),
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
  component: lazyRouteComponent(() => import('./pages/settings/Profile.tsx'), 'Profile'),
})
const securityRoute = createRoute({
  ...settingsPage('/security'),
  component: lazyRouteComponent(() => import('./pages/settings/Security.tsx'), 'Security'),
})
const noticesRoute = createRoute({
  ...settingsPage('/notices'),
  component: lazyRouteComponent(() => import('./pages/settings/Notices.tsx'), 'Notices'),
})
const membersRoute = createRoute({
  ...settingsPage('/members'),
  component: lazyRouteComponent(() => import('./pages/settings/Members.tsx'), 'Members'),
})
const organisationRoute = createRoute({
  ...settingsPage('/organisation'),
  component: lazyRouteComponent(() => import('./pages/settings/Organisation.tsx'), 'Organisation'),
})
const listingsRoute = createRoute({
  ...settingsPage('/allow-and-block'),
  validateSearch: readListingsSearch,
  component: lazyRouteComponent(() => import('./pages/settings/Listings.tsx'), 'Listings'),
})
const networkRoute = createRoute({
  ...settingsPage('/network'),
  component: lazyRouteComponent(() => import('./pages/settings/Network.tsx'), 'Network'),
})
const yourDataRoute = createRoute({
  ...settingsPage('/data'),
  component: lazyRouteComponent(() => import('./pages/settings/YourData.tsx'), 'YourData'),
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
    settingsRoute.addChildren([
      settingsIndexRoute,
      profileRoute,
      securityRoute,
      noticesRoute,
      membersRoute,
      organisationRoute,
      listingsRoute,
      networkRoute,
      yourDataRoute,
    ]),
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
