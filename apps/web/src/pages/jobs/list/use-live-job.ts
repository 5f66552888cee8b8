import type { BulkJob } from '@probity/sdk'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useScene } from '../../../session/scene.ts'
import { type Following, followJob } from './follow.ts'
import { jobQuery } from './queries.ts'

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
