import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { useSession } from '../session/session.ts'
import { accountQuery, useScene } from '../session/workspace.ts'

const REFRESH_EVERY_MS = 10_000

/** The reason of a delay; null or undefined if there is none or it is not loaded yet. Refreshed periodically. */
export function useDelayReason(): string | null | undefined {
  const { data } = useQuery({ ...accountQuery(useScene()), refetchInterval: REFRESH_EVERY_MS })
  return data?.delay_reason
}

/** Shown on every page while no worker has a heartbeat. */
export function DelayBanner() {
  const reason = useDelayReason()
  const { person } = useSession()
  return (
    <div role="status">
      {typeof reason === 'string' && (
        <section
          aria-label="Validation is delayed"
          className="flex items-start justify-center gap-2 border-b border-line bg-risky-soft px-4 py-2 text-[0.8125rem] text-risky"
        >
          <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden="true" />
          <p>
            <strong className="font-semibold">Validation is delayed: {sayReason(reason)}.</strong> Lists stay queued.
            Single addresses are not charged until validation starts.{' '}
            {person.is_operator ? (
              <>
                Start a worker or check its log. See{' '}
                <Link to="/operator" className="underline underline-offset-2">
                  Health
                </Link>
                .
              </>
            ) : (
              'If this persists, contact the operator of this service.'
            )}
          </p>
        </section>
      )}
    </div>
  )
}

/** Newer reasons are shown by their name. */
function sayReason(reason: string): string {
  return reason === 'no_worker' ? 'no worker is running' : reason.replaceAll('_', ' ')
}
