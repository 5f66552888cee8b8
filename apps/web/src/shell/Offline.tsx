import { WifiOff } from 'lucide-react'
import { useSyncExternalStore } from 'react'

/** Says that the device has no network, for as long as that is so. */
export function Offline() {
  const online = useSyncExternalStore(watch, () => navigator.onLine)
  return (
    <div role="status" className="fixed inset-x-0 top-2 z-50 mx-auto w-fit">
      {!online && (
        <p className="appear flex items-center gap-2 rounded-full bg-ink px-4 py-2 text-canvas shadow-raised">
          <WifiOff className="size-4" aria-hidden="true" />
          There is no network. What is shown may be old.
        </p>
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
