import { WifiOff } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { retryPage, usePageFailed } from '../session/import-page.ts'

/** Shown while the browser is offline or a page could not be loaded. */
export function Offline() {
  const online = useSyncExternalStore(watch, () => navigator.onLine)
  const hasFailed = usePageFailed()
  return (
    <div role="status" className="fixed inset-x-0 top-2 z-50 mx-auto w-fit max-w-[calc(100vw-1rem)]">
      {(!online || hasFailed) && (
        <div className="appear flex items-center gap-3 rounded-full bg-ink px-4 py-2 text-canvas shadow-raised">
          <WifiOff className="size-4 shrink-0" aria-hidden="true" />
          <p>
            {online ? 'The service cannot be reached.' : 'You are offline.'}{' '}
            {hasFailed ? 'The page could not be loaded.' : 'Data may be out of date.'}
          </p>
          {hasFailed && (
            <button type="button" onClick={retryPage} className="min-h-6 font-semibold underline underline-offset-2">
              Retry
            </button>
          )}
        </div>
      )}
    </div>
  )
}

function watch(onChange: () => void): () => void {
  const events = ['online', 'offline'] as const
  for (const event of events) window.addEventListener(event, onChange)
  return () => {
    for (const event of events) window.removeEventListener(event, onChange)
  }
}
