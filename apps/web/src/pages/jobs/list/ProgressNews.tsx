import type { BulkJob } from '@probity/sdk'
import { useEffect, useRef, useState } from 'react'
import { formatNumber } from '../../../ui/format.ts'

const EVERY_MS = 30_000
const EVERY_SHARE = 0.1

/** Announces the progress to screen readers: at every 10 %, or every 30 seconds. */
export function ProgressNews({ job: { progress, done_count, unique_count, status } }: { job: BulkJob }) {
  const told = useRef({ share: 0, at: 0, status: '' })
  const [text, setText] = useState('')
  useEffect(() => {
    const last = told.current
    const isNews = progress - last.share >= EVERY_SHARE || (progress > last.share && Date.now() - last.at >= EVERY_MS)
    if (!isNews && status === last.status) return
    told.current = { share: progress, at: Date.now(), status }
    setText(
      status === 'paused'
        ? 'List paused.'
        : `${Math.floor(progress * 100)} percent: ${formatNumber(done_count)} of ${formatNumber(unique_count)} addresses.`,
    )
  }, [progress, done_count, unique_count, status])
  return (
    <p role="status" className="sr-only">
      {text}
    </p>
  )
}
