import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { asRequestFailed } from '../../../session/client.ts'
import { useScene } from '../../../session/workspace.ts'
import { useToasts } from '../../../ui/Toasts.tsx'
import { uploadQuery, uploadsKey } from '../lists/lists-query.ts'
import { makePastedFile } from './text-files.ts'
import { USUAL_CELLS } from './use-upload.ts'

type AddressDraft = {
  emails: string[]
  /** Default: a name with the day. */
  filename?: string
}

/** Uploads addresses as a draft and opens its review, where the cost is shown. Nothing is validated before it is confirmed. */
export function useAddressDraft() {
  const scene = useScene()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const toasts = useToasts()
  return useMutation({
    mutationFn: ({ emails, filename }: AddressDraft) =>
      scene.probity.uploads.create(makePastedFile(emails), { filename, ...USUAL_CELLS }),
    onSuccess: async (preview) => {
      const { upload_id: upload } = preview
      queryClient.setQueryData(uploadQuery(scene, upload, { cells: USUAL_CELLS }).queryKey, preview)
      void queryClient.invalidateQueries({ queryKey: [...uploadsKey(scene), 'drafts'] })
      await navigate({ to: '/lists/new', search: ({ mode, org }) => ({ mode, org, upload, column: 'email' }) })
    },
    onError: (error) => toasts.failed(`The list could not be created. ${asRequestFailed(error).message}`),
  })
}
