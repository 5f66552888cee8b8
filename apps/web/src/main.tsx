import './styles.css'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { setNonce } from 'get-nonce'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { makeRouter } from './routes.tsx'
import { asRequestFailed } from './session/client.ts'
import { watchNavigation } from './session/import-page.ts'
import { noticeSignedOut } from './session/session.ts'
import { applyTheme } from './shell/theme.ts'
import { Toasts } from './ui/Toasts.tsx'

const RETRIES_MAX = 2

applyTheme()
allowStyles()

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

const router = makeRouter(queryClient)
watchNavigation(router)
fetchPage()

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no root element')

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <Toasts>
        <RouterProvider router={router} />
      </Toasts>
    </QueryClientProvider>
  </StrictMode>,
)

/** Loads the script of the first page in parallel with the session. */
function fetchPage() {
  const [matched] = router.getMatchedRoutes(router.latestLocation.pathname)
  for (const route of matched) void router.loadRouteChunk(route)?.catch(() => undefined) // the router tries again and reports the error
}

/** Dialogs add a style element that stops the page from scrolling; the nonce allows it under the CSP. */
function allowStyles() {
  const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce
  if (nonce) setNonce(nonce)
}
