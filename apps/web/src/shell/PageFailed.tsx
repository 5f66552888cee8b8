import { useRouter } from '@tanstack/react-router'
import { ErrorState } from '../ui/States.tsx'
import { OpenPage } from './OpenPage.tsx'

/** Shown when a page fails to render. */
export function PageFailed({ error, reset }: { error: unknown; reset(): void }) {
  const router = useRouter()
  const retry = () => {
    reset()
    void router.invalidate()
  }
  return (
    <OpenPage title="This page failed to load">
      <ErrorState what="An error occurred" error={error} onRetry={retry} />
    </OpenPage>
  )
}
