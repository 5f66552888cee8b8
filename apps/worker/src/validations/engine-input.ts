import { createBatcher } from '@probity/concurrency/scheduling'
import type { Db } from '@probity/database/connection/connect'
import { listHistories } from '@probity/database/feedback/histories'
import type { History, HistoryLookup } from '@probity/engine/verdict/history'

/** What became of mail that accounts have reported, for whoever judges an address. */
export type Histories = { of(accountId: string): HistoryLookup }

/** An outcome that is reported now counts within so long. Short, and still enough for the addresses of a batch to share a look. */
const BELIEVED_FOR_MS = 2_000
const REMEMBERED_MAX = 5_000
const AT_ONCE_MAX = 200

type Asked = { domain: string; provider: string }
type Kept = { history: Promise<History>; until: number }

/** Looks histories up in groups, one for each account at a time, and believes them for a moment. */
export function openHistories(db: Db, { shared }: { shared: boolean }): Histories {
  const gather = createBatcher<Asked, History>(AT_ONCE_MAX, (accountId, asked) =>
    listHistories(db, accountId, asked, { shared }),
  )
  const kept = new Map<string, Kept>()

  function look(accountId: string, asked: Asked): Promise<History> {
    const name = `${accountId} ${asked.domain} ${asked.provider}`
    const now = performance.now()
    const found = kept.get(name)
    if (found && found.until > now) return found.history
    const history = gather(accountId, asked)
    if (kept.size >= REMEMBERED_MAX) kept.clear() // they are a moment old at most
    kept.set(name, { history, until: now + BELIEVED_FOR_MS })
    history.catch(() => kept.delete(name)) // whoever asked is told; the next one asks anew
    return history
  }

  return { of: (accountId) => ({ find: (domain, provider) => look(accountId, { domain, provider }) }) }
}
