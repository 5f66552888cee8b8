import { useRouter } from '@tanstack/react-router'
import { ErrorState } from '../ui/States.tsx'
import { OpenPage } from './OpenPage.tsx'

/** What is shown where a whole page broke. */
export function PageFailed({ error, reset }: { error: unknown; reset(): void }) {
  const router = useRouter()
  const retry = () => {
    reset()
    void router.invalidate()
  }
  return (
    <OpenPage title="This page could not be shown">
      <ErrorState error={error} onRetry={retry} />
    </OpenPage>
  )
}
