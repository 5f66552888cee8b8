import type { BulkJob } from '@probity/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { asRequestFailed } from '../../../session/probity.ts'
import { useScene } from '../../../session/scene.ts'
import { formatCount } from '../../../ui/format.ts'
import { useToasts } from '../../../ui/Toasts.tsx'
import { jobQuery } from './queries.ts'

export type Wish = 'pause' | 'resume' | 'cancel' | 'remove'

/** Pauses, resumes, cancels or deletes a list, and shows a toast. */
export function useWishes(job: BulkJob, onDone: () => void) {
  const scene = useScene()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const toasts = useToasts()
  const { jobs } = scene.probity
  return useMutation({
    mutationFn: async (wish: Wish): Promise<BulkJob | undefined> => {
      if (wish !== 'remove') return jobs[wish](job.id)
      await jobs.delete(job.id)
      return undefined
    },
    onSuccess: async (now, wish) => {
      onDone()
      toasts.done(outcome(wish, job))
      void queryClient.invalidateQueries({ queryKey: [...scene.key, 'account'] })
      if (now !== undefined) {
        queryClient.setQueryData(jobQuery(scene, job.id).queryKey, now)
        return
      }
      await navigate({ to: '/lists' })
      queryClient.removeQueries({ queryKey: [...scene.key, 'list', job.id] })
      void queryClient.invalidateQueries({ queryKey: [...scene.key, 'lists'] })
    },
    onError: (error, wish) => {
      if (wish === 'resume') toasts.failed(asRequestFailed(error).message)
      // The list may have finished in the meantime.
      void queryClient.invalidateQueries({ queryKey: jobQuery(scene, job.id).queryKey, exact: true })
    },
  })
}

function outcome(wish: Wish, { filename, credits }: BulkJob): string {
  if (wish === 'pause') return `${filename} paused.`
  if (wish === 'resume') return `${filename} resumed.`
  if (wish === 'remove') return `${filename} deleted.`
  const returned = credits.reserved > 0 ? ` ${formatCount(credits.reserved, 'unused credit')} released.` : ''
  return `${filename} canceled.${returned}`
}
