import type { BulkJob, JobEvent } from '@probity/sdk'
import { asRequestFailed } from '../../../session/probity.ts'

/** How the page gets updates: from the event stream or by polling. */
export type Following = { kind: 'opening' } | { kind: 'live' } | { kind: 'looking'; everyS: number }

type Ways = {
  events(signal: AbortSignal): AsyncIterable<JobEvent>
  look(): Promise<BulkJob>
  show(job: BulkJob): void
  tell(following: Following): void
  /** The list is no longer available: it was deleted, or the session has expired. */
  lose(): void
}

const LOOK_EVERY_S = [3, 5, 8, 12, 15] as const
const LOOK_EVERY_S_MAX = 15
const REOPEN_AFTER_MS = [2_000, 10_000, 30_000] as const
const REOPEN_AFTER_MS_MAX = 60_000

/** Follows a list until it is finished or the signal aborts. Polls while there is no stream. */
export async function followJob(ways: Ways, signal: AbortSignal): Promise<void> {
  let looking = startLooking(ways, signal)
  for (let losses = 0; !signal.aborted; losses++) {
    let isLive = false
    try {
      for await (const { job } of ways.events(signal)) {
        looking.abort()
        isLive = true
        losses = 0
        ways.tell({ kind: 'live' })
        ways.show(job)
      }
      return looking.abort()
    } catch (error) {
      if (signal.aborted) return
      if (isFinal(error)) {
        looking.abort()
        return ways.lose()
      }
      if (isLive) looking = startLooking(ways, signal)
    }
    await pause(REOPEN_AFTER_MS[losses] ?? REOPEN_AFTER_MS_MAX, signal)
  }
}

function startLooking(ways: Ways, signal: AbortSignal): AbortController {
  const enough = new AbortController()
  void lookNowAndThen(ways, AbortSignal.any([signal, enough.signal]))
  return enough
}

async function lookNowAndThen({ look, show, tell, lose }: Ways, signal: AbortSignal): Promise<void> {
  for (let looks = 0; ; looks++) {
    const everyS = LOOK_EVERY_S[looks] ?? LOOK_EVERY_S_MAX
    await pause(everyS * 1_000, signal)
    if (signal.aborted) return
    tell({ kind: 'looking', everyS })
    try {
      const job = await look()
      if (!signal.aborted) show(job)
    } catch (error) {
      if (!signal.aborted && isFinal(error)) return lose()
    }
  }
}

function isFinal(error: unknown): boolean {
  return [401, 403, 404].includes(asRequestFailed(error).status)
}

/** Resolves early when the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
}
