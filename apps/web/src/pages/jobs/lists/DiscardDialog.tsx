import type { Upload } from '@probity/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { asRequestFailed } from '../../../session/client.ts'
import { useScene } from '../../../session/workspace.ts'
import { Callout } from '../../../ui/Callout.tsx'
import { ConfirmDialog } from '../../../ui/Dialog.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'
import { uploadsKey } from './lists-query.ts'

type Named = Pick<Upload, 'upload_id' | 'filename'>

/** Deletes a draft after a confirmation. A draft that no longer exists counts as deleted. */
export function useDiscard({ onGone }: { onGone(): void }) {
  const scene = useScene()
  const tell = useToasts()
  const queryClient = useQueryClient()
  const [draft, setDraft] = useState<Named>()
  const removal = useMutation({
    mutationFn: ({ upload_id }: Named) =>
      scene.probity.uploads.delete(upload_id).catch((error: unknown) => {
        if (asRequestFailed(error).status !== 404) throw error
      }),
    onSuccess: async (_, { filename }) => {
      await queryClient.invalidateQueries({ queryKey: [...uploadsKey(scene), 'drafts'] })
      setDraft(undefined)
      tell.done(`${filename} discarded.`)
      onGone()
    },
  })
  const askFor = (wanted: Named) => {
    removal.reset()
    setDraft(wanted)
  }
  return { draft, askFor, removal, keep: () => setDraft(undefined) }
}

type DiscardProps = Omit<ReturnType<typeof useDiscard>, 'askFor'>

export function DiscardDialog({ draft, removal, keep }: DiscardProps) {
  return (
    <ConfirmDialog
      open={draft !== undefined}
      onCancel={keep}
      onConfirm={() => draft && removal.mutate(draft)}
      title={`Discard ${draft?.filename ?? 'the draft'}?`}
      confirm="Discard draft"
      danger
      busy={removal.isPending}
    >
      <p>The uploaded file is deleted. No credits were charged for it.</p>
      {removal.isError && (
        <Callout kind="error" live>
          {asRequestFailed(removal.error).message}
        </Callout>
      )}
    </ConfirmDialog>
  )
}
