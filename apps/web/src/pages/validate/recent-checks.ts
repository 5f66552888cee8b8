import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useScene } from '../../session/scene.ts'
import { accountQuery } from '../../shell/account-query.ts'
import type { Answer } from '../../validation/use-validation.ts'

const KEPT_MAX = 12

type RecentChecks = {
  answers: Answer[]
  /** False where the organisation keeps no results: then this page keeps none either. */
  isKept: boolean
  keep(answer: Answer): void
  clear(): void
}

/** What was asked in this tab. In memory alone: addresses are people's, and a reload forgets them. */
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
    // What was answered before the account was known is not shown either.
    answers: keepsNothing ? [] : answers,
    isKept: !keepsNothing,
    keep(answer) {
      // Asked for at this moment: the account may have come after the question was put.
      if (queryClient.getQueryData(accountQuery(scene).queryKey)?.retention_days === 0) return
      const others = (now: Answer[] = []) => now.filter(({ result }) => result.email !== answer.result.email)
      queryClient.setQueryData<Answer[]>(queryKey, (now) => [answer, ...others(now)].slice(0, KEPT_MAX))
    },
    clear: () => queryClient.setQueryData<Answer[]>(queryKey, []),
  }
}
