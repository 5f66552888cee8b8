import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, redirect, retainSearchParams } from '@tanstack/react-router'
import type { Mode } from './session/client.ts'
import { sessionQuery } from './session/session.ts'
import { Missing } from './shell/Missing.tsx'
import { PageFailed } from './shell/PageFailed.tsx'
import { Shell } from './shell/Shell.tsx'

type Context = { queryClient: QueryClient }

/** Search parameters of every page: test mode, and the account if the user has several. */
export type SceneSearch = { mode?: Extract<Mode, 'test'> | undefined; org?: string | undefined }

function readSceneSearch(search: Record<string, unknown>): SceneSearch {
  return {
    ...(search['mode'] === 'test' && { mode: 'test' as const }),
    ...(typeof search['org'] === 'string' && { org: search['org'] }),
  }
}

export const rootRoute = createRootRouteWithContext<Context>()({
  validateSearch: readSceneSearch,
  search: { middlewares: [retainSearchParams(['mode', 'org'])] },
  notFoundComponent: Missing,
  errorComponent: PageFailed,
})

/** All signed-in pages. Others are redirected to the sign-in page and return here afterwards. */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery)
    if (session === null) throw redirect({ to: '/sign-in', search: { next: location.href } })
  },
})

export const page = <const P extends string>(path: P) => ({ getParentRoute: () => shellRoute, path })
export const open = <const P extends string>(path: P) => ({ getParentRoute: () => rootRoute, path })
