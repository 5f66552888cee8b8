import { ListChecks } from 'lucide-react'
import { useMay } from '../../../session/may.ts'
import { useScene } from '../../../session/scene.ts'
import { EmptyState } from '../../../ui/States.tsx'
import { UploadPanel } from '../new-list/UploadPanel.tsx'

/** Shown instead of an empty table. */
export function FirstList() {
  const { mode } = useScene()
  if (!useMay('jobs:write')) {
    return <EmptyState icon={<ListChecks aria-hidden="true" />} title="No lists yet" />
  }
  return (
    <section aria-labelledby="first-list" className="mx-auto flex w-full max-w-3xl flex-col gap-4">
      <h2 id="first-list" className="text-base font-semibold">
        {mode === 'test' ? 'No lists in test mode yet' : 'No lists yet'}
      </h2>
      <UploadPanel />
    </section>
  )
}
