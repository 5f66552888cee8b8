import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { makeRouter } from './routes.tsx'
import { asRequestFailed } from './session/client.ts'
import { watchNavigation } from './session/import-page.ts'
import { noticeSignedOut, sessionQuery } from './session/session.ts'
import { shellRoute } from './shell-route.tsx'
import { Toasts } from './ui/Toasts.tsx'

const RETRIES_MAX = 2

/** Renders the page of the current URL into an element. Returns a function that removes it. */
export function startApp(element: Element): () => void {
  const queryClient = makeQueryClient()
  const router = makeRouter(queryClient)
  watchNavigation(router)
  fetchPage(router, queryClient)
  const root = createRoot(element)
  root.render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <Toasts>
          <RouterProvider router={router} />
        </Toasts>
      </QueryClientProvider>
    </StrictMode>,
  )
  return () => {
    root.unmount()
    queryClient.clear()
    router.history.destroy()
  }
}

function makeQueryClient(): QueryClient {
  const queryClient = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        // The SDK retries by itself; this is for requests without it.
        retry: (failures, error) => failures < RETRIES_MAX && asRequestFailed(error).status === 0,
      },
    },
  })
  queryClient.getQueryCache().subscribe(({ type, query }) => {
    if (type === 'updated' && query.state.error) noticeSignedOut(queryClient, query.state.error)
  })
  queryClient.getMutationCache().subscribe(({ type, mutation }) => {
    if (type === 'updated' && mutation.state.error) noticeSignedOut(queryClient, mutation.state.error)
  })
  return queryClient
}

/** Loads the script of the first page in parallel with the session, which is requested first: browsers limit the requests to one host. */
function fetchPage(router: ReturnType<typeof makeRouter>, queryClient: QueryClient) {
  const [matched] = router.getMatchedRoutes(router.latestLocation.pathname)
  if (matched.includes(shellRoute)) void queryClient.prefetchQuery(sessionQuery)
  for (const route of matched) void router.loadRouteChunk(route)?.catch(() => undefined) // the router tries again and reports the error
}
