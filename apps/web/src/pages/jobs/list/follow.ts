import type { BulkJob, JobEvent } from '@probity/sdk'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { asRequestFailed } from '../../../session/client.ts'
import { useScene } from '../../../session/workspace.ts'
import { jobQuery } from './queries.ts'

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

/** The service sends a heartbeat every 15 seconds. After two missed ones the stream counts as lost. */
const SILENCE_MS = 32_000
/** A list of 100,000 sends many events per second; the page renders two. */
const SHOW_EVERY_MS = 500

/** A list with live updates while it is in progress. */
export function useLiveJob(jobId: string) {
  const scene = useScene()
  const queryClient = useQueryClient()
  const query = useQuery(jobQuery(scene, jobId))
  const [following, setFollowing] = useState<Following>({ kind: 'opening' })
  const isUnderWay = query.data?.finished_at === null

  useEffect(() => {
    if (!isUnderWay) return
    const { probity } = scene
    const { queryKey } = jobQuery(scene, jobId)
    const stop = new AbortController()
    const shown = showInTurn((job) => queryClient.setQueryData(queryKey, job))
    const ways = {
      events: (signal: AbortSignal) =>
        probity.jobs.events(jobId, { signal, idleTimeoutMs: SILENCE_MS, maxReconnects: 0 }),
      look: () => probity.jobs.get(jobId, { signal: stop.signal }),
      show: shown.show,
      tell: (next: Following) => setFollowing((now) => (isSame(now, next) ? now : next)),
      lose: () => void queryClient.invalidateQueries({ queryKey, exact: true }),
    }
    void followJob(ways, stop.signal)
    return () => {
      stop.abort()
      shown.stop()
      // The balance of the account has changed by the charges and refunds of the list.
      void queryClient.invalidateQueries({ queryKey: [...scene.key, 'account'] })
    }
  }, [scene, jobId, isUnderWay, queryClient])

  return { query, following }
}

function isSame(one: Following, other: Following): boolean {
  return one.kind === other.kind && (one.kind !== 'looking' || other.kind !== 'looking' || one.everyS === other.everyS)
}

/** Shows the first update at once, later ones at most every SHOW_EVERY_MS. */
function showInTurn(show: (job: BulkJob) => void) {
  let newest: BulkJob | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const turn = () => {
    timer = undefined
    if (newest === undefined) return
    show(newest)
    newest = undefined
    timer = setTimeout(turn, SHOW_EVERY_MS)
  }
  return {
    show(job: BulkJob) {
      newest = job
      if (timer === undefined) turn()
    },
    stop: () => clearTimeout(timer),
  }
}
