import { useCallback, useRef, useState } from 'react'
import type { RequestFailed } from '../../../session/ask.ts'
import { asRequestFailed } from '../../../session/probity.ts'
import { useScene } from '../../../session/scene.ts'
import { downloadResults, type Wanted } from './download.ts'

export type Download =
  | { kind: 'idle' }
  | { kind: 'busy'; bytes: number }
  | { kind: 'done'; name: string }
  | { kind: 'failed'; error: RequestFailed }

const SHOW_EVERY_MS = 300

/** Runs one download at a time; a second click while it runs is ignored. */
export function useDownload(jobId: string) {
  const { probity } = useScene()
  const [download, setDownload] = useState<Download>({ kind: 'idle' })
  const isBusy = useRef(false)

  const start = useCallback(
    async (wanted: Wanted) => {
      if (isBusy.current) return
      isBusy.current = true
      setDownload({ kind: 'busy', bytes: 0 })
      let shownAt = 0
      const onBytes = (bytes: number) => {
        if (performance.now() - shownAt < SHOW_EVERY_MS) return
        shownAt = performance.now()
        setDownload({ kind: 'busy', bytes })
      }
      try {
        setDownload({ kind: 'done', name: await downloadResults(probity, jobId, { wanted, onBytes }) })
      } catch (error) {
        setDownload({ kind: 'failed', error: asRequestFailed(error) })
      } finally {
        isBusy.current = false
      }
    },
    [probity, jobId],
  )
  return { download, start }
}
