import { useQuery, useQueryClient } from '@tanstack/react-query'
import { accountQuery, type Scene, useMay, useScene } from '../../../session/workspace.ts'
import type { ValidationOutcome } from './use-validation.ts'

const KEPT_MAX = 12

export type RecentValidations = {
  answers: ValidationOutcome[]
  /** False if the account stores no results: then this page keeps none either. */
  isKept: boolean
  keep(answer: ValidationOutcome): void
  clear(): void
}

/**
 * The last validations of this browser. Only their ids are stored in it, because addresses are personal data; the results are read from
 * the service for as long as it stores them. Test mode stores no results, so there they are listed until a reload.
 */
export function useRecentValidations(): RecentValidations {
  const scene = useScene()
  const queryClient = useQueryClient()
  const may = useMay('validations:read')
  const { data: account } = useQuery(accountQuery(scene))
  const keepsNothing = account?.retention_days === 0
  const sessionKey = [...scene.key, 'recent-validations', 'session']
  const storedKey = [...scene.key, 'recent-validations', 'stored']
  const { data: ofSession } = useQuery<ValidationOutcome[]>({
    queryKey: sessionKey,
    queryFn: () => [],
    enabled: false,
    initialData: [],
    gcTime: Number.POSITIVE_INFINITY,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { data: stored = [] } = useQuery({
    queryKey: storedKey,
    queryFn: ({ signal }) => loadStored(scene, signal),
    enabled: may && scene.mode === 'live',
    staleTime: Number.POSITIVE_INFINITY,
  })
  return {
    // Results received before the account was loaded are hidden too.
    answers: keepsNothing ? [] : newestOfEach([...ofSession, ...stored]),
    isKept: !keepsNothing,
    keep(answer) {
      // Read at this moment: the account may have loaded after the request was sent.
      if (queryClient.getQueryData(accountQuery(scene).queryKey)?.retention_days === 0) return
      queryClient.setQueryData<ValidationOutcome[]>(sessionKey, (now = []) => newestOfEach([answer, ...now]))
      if (scene.mode === 'live') writeIds(scene, [answer.result.id, ...readIds(scene)])
    },
    clear() {
      writeIds(scene, [])
      queryClient.setQueryData<ValidationOutcome[]>(sessionKey, [])
      queryClient.setQueryData<ValidationOutcome[]>(storedKey, [])
    },
  }
}

/** One result per address, the newest first. */
function newestOfEach(answers: ValidationOutcome[]): ValidationOutcome[] {
  const seen = new Set<string>()
  const first = answers.filter(({ result: { email } }) => !seen.has(email) && seen.add(email))
  return first.slice(0, KEPT_MAX)
}

/** Results that have expired or were deleted are left out. */
async function loadStored(scene: Scene, signal: AbortSignal): Promise<ValidationOutcome[]> {
  const { validations } = scene.probity
  const found = await Promise.all(
    readIds(scene).map((id) => validations.get(id, { signal }).then(asOutcome, () => undefined)),
  )
  return found.filter((outcome) => outcome !== undefined)
}

function asOutcome(result: ValidationOutcome['result']): ValidationOutcome {
  return { result, charged: undefined }
}

const keyOf = ({ membership }: Scene) => `probity.recent.${membership.account_id}`

function readIds(scene: Scene): string[] {
  return (localStorage.getItem(keyOf(scene)) ?? '').split(' ').filter((id) => id !== '')
}

function writeIds(scene: Scene, ids: string[]): void {
  const kept = [...new Set(ids)].slice(0, KEPT_MAX)
  if (kept.length === 0) localStorage.removeItem(keyOf(scene))
  else localStorage.setItem(keyOf(scene), kept.join(' '))
}
