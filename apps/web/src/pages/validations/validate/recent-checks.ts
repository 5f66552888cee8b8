import { useQuery, useQueryClient } from '@tanstack/react-query'
import { accountQuery } from '../../../session/account-query.ts'
import { useScene } from '../../../session/scene.ts'
import type { Answer } from './use-validation.ts'

const KEPT_MAX = 12

type RecentChecks = {
  answers: Answer[]
  /** False if the account stores no results: then this page keeps none either. */
  isKept: boolean
  keep(answer: Answer): void
  clear(): void
}

/** Validations made in this tab. Kept in memory only, because addresses are personal data; a reload discards them. */
export function useRecentChecks(): RecentChecks {
  const scene = useScene()
  const queryClient = useQueryClient()
  const queryKey = [...scene.key, 'recent-checks']
  const { data: account } = useQuery(accountQuery(scene))
  const keepsNothing = account?.retention_days === 0
  const { data: answers } = useQuery<Answer[]>({
    queryKey,
    queryFn: () => [],
    enabled: false,
    initialData: [],
    gcTime: Number.POSITIVE_INFINITY,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return {
    // Results received before the account was loaded are hidden too.
    answers: keepsNothing ? [] : answers,
    isKept: !keepsNothing,
    keep(answer) {
      // Read at this moment: the account may have loaded after the request was sent.
      if (queryClient.getQueryData(accountQuery(scene).queryKey)?.retention_days === 0) return
      const others = (now: Answer[] = []) => now.filter(({ result }) => result.email !== answer.result.email)
      queryClient.setQueryData<Answer[]>(queryKey, (now) => [answer, ...others(now)].slice(0, KEPT_MAX))
    },
    clear: () => queryClient.setQueryData<Answer[]>(queryKey, []),
  }
}
