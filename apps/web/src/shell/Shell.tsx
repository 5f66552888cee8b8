import { useSuspenseQuery } from '@tanstack/react-query'
import { Outlet, useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { importWhenReachable, prefetchPages } from '../session/import-page.ts'
import { type Membership, SessionContext, sessionQuery, useSession } from '../session/session.ts'
import { keepLastAccount, readLastAccount, SceneContext, useNewScene } from '../session/workspace.ts'
import { BottomBar } from './BottomBar.tsx'
import { DelayBanner } from './DelayBanner.tsx'
import { Offline } from './Offline.tsx'
import { Rail } from './Rail.tsx'
import { SkipLink } from './SkipLink.tsx'
import { TopBar } from './TopBar.tsx'

// Rarely needed: not part of the first load.
const SessionEnded = lazy(() =>
  importWhenReachable(async () => ({ default: (await import('./SessionEnded.tsx')).SessionEnded })),
)
const NoAccount = lazy(() =>
  importWhenReachable(async () => ({ default: (await import('./NoAccount.tsx')).NoAccount })),
)

/** The frame of every signed-in page. When the session expires, the page stays with its unsaved input. */
export function Shell() {
  const { data: session } = useSuspenseQuery(sessionQuery)
  useEffect(prefetchPages, [])
  const [lastSession, setLastSession] = useState(session)
  if (session !== null && session !== lastSession) setLastSession(session)
  if (lastSession === null) return null // the router redirects to the sign-in page
  return (
    <SessionContext value={lastSession}>
      <ShellWithSession />
      {session === null && (
        <Suspense>
          <SessionEnded open />
        </Suspense>
      )}
      <Offline />
    </SessionContext>
  )
}

function ShellWithSession() {
  const { memberships } = useSession()
  const { org } = useSearch({ strict: false })
  const membership = choose(memberships, org)
  if (membership === undefined) {
    return (
      <Suspense>
        <NoAccount />
      </Suspense>
    )
  }
  return <ShellOf membership={membership} />
}

function ShellOf({ membership }: { membership: Membership }) {
  const { mode } = useSearch({ strict: false })
  const { memberships } = useSession()
  const scene = useNewScene(membership, mode ?? 'live')
  useNamedInAddress(membership, memberships.length > 1)
  return (
    <SceneContext value={scene}>
      <SkipLink />
      <div className="flex min-h-dvh flex-col lg:grid lg:grid-cols-[15rem_minmax(0,1fr)]">
        <Rail />
        <div className="flex min-w-0 flex-1 flex-col">
          <TopBar />
          <DelayBanner />
          {scene.mode === 'test' && <TestStrip />}
          {/* The key resets the state of the page when the account or the mode changes. */}
          <main key={scene.key.join()} id="main" tabIndex={-1} className="flex-1 pb-20 focus:outline-none lg:pb-0">
            <Outlet />
          </main>
        </div>
        <BottomBar />
      </div>
    </SceneContext>
  )
}

function TestStrip() {
  return (
    <section
      aria-label="Test mode"
      className="border-b border-line bg-risky-soft px-4 py-1.5 text-center text-[0.8125rem] text-risky"
    >
      <strong className="font-semibold">Test mode.</strong> Results are simulated. No mail servers are contacted and no
      credits are used.
    </section>
  )
}

/** The account named in the URL, the last used one, or the first. */
function choose(memberships: Membership[], slug: string | undefined): Membership | undefined {
  const wanted = slug ?? readLastAccount()
  return memberships.find((one) => one.slug === wanted) ?? memberships[0]
}

/** Adds the account to the URL if the user has several, so that a copied link opens the same one. */
function useNamedInAddress({ slug }: Membership, severalThere: boolean): void {
  const navigate = useNavigate()
  const { org } = useSearch({ strict: false })
  useEffect(() => {
    keepLastAccount(slug)
    if (severalThere && org !== slug)
      void navigate({ to: '.', search: (now) => ({ ...now, org: slug }), replace: true })
  }, [slug, severalThere, org, navigate])
}
