import type { BulkJob } from '@probity/sdk'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ChevronDown, ChevronUp } from 'lucide-react'
import type { KeyboardEvent } from 'react'
import { useScene } from '../../../session/workspace.ts'
import { CopyButton, IconButton } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { formatNumber } from '../../../ui/format.ts'
import { PageFrame } from '../../../ui/States.tsx'
import { Deliverability } from '../../validations/result/Deliverability.tsx'
import { ResultDetails } from '../../validations/result/ResultDetails.tsx'
import { pageSizeOf, resultQuery, resultsQuery } from './queries.ts'
import { useListSearch } from './SearchLink.tsx'

/** One result with all its evidence. It is open while the URL names its row. */
export function ResultDrawer({ job }: { job: BulkJob }) {
  const { search, turn } = useListSearch()
  if (search.row === undefined) return null
  return <OpenResult job={job} row={search.row} onClose={() => turn(({ row: _, ...now }) => now, { replace: true })} />
}

function OpenResult({ job, row, onClose }: { job: BulkJob; row: number; onClose(): void }) {
  const query = useQuery(resultQuery(useScene(), job, row))
  const { go, hasPrevious, hasNext } = useNeighbors(job, row)
  // The address of an erased result is empty.
  const email = query.data?.email ?? ''
  const place = `Row ${formatNumber(row)} of the file`
  const turnByKey = (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return
    if (event.key === 'j' && hasNext) void go(1)
    if (event.key === 'k' && hasPrevious) void go(-1)
  }
  return (
    <Dialog
      drawer
      open
      onClose={onClose}
      title={email === '' ? place : email}
      about={email === '' ? job.filename : `${place} · ${job.filename}`}
      onKeyDown={turnByKey}
      tools={
        <>
          {email !== '' && <CopyButton text={email} label="Copy address" />}
          <IconButton label="Previous result (k)" size="sm" disabled={!hasPrevious} onClick={() => void go(-1)}>
            <ChevronUp />
          </IconButton>
          <IconButton label="Next result (j)" size="sm" disabled={!hasNext} onClick={() => void go(1)}>
            <ChevronDown />
          </IconButton>
        </>
      }
    >
      <p role="status" className="sr-only">
        {email !== '' && `${email}, row ${formatNumber(row)}`}
      </p>
      <PageFrame query={query} failed="This result could not be loaded" loading="Loading the result" lines={8}>
        {(result) => <ResultDetails result={result} isTitled Explain={Deliverability} />}
      </PageFrame>
    </Dialog>
  )
}

function isField(target: EventTarget): boolean {
  return target instanceof Element && target.closest('input, textarea, select') !== null
}

/** Opens the result before or after one, in the order of the table. At the end of a page the next page is loaded. */
function useNeighbors(job: BulkJob, row: number) {
  const scene = useScene()
  const queryClient = useQueryClient()
  const { search, turn } = useListSearch()
  const { data } = useQuery(resultsQuery(scene, job, search))
  const rows = data?.results.map((result) => result.row) ?? []
  const { skip = 0 } = search
  const at = rows.indexOf(row)
  const isInPage = at >= 0

  async function go(step: 1 | -1) {
    const neighbor = rows[at + step]
    if (neighbor !== undefined) return turn((now) => ({ ...now, row: neighbor }), { replace: true })
    const start = Math.max(0, skip + step * pageSizeOf(search))
    const { skip: _, ...rest } = search
    const page = start === 0 ? rest : { ...rest, skip: start }
    const { results } = await queryClient.fetchQuery(resultsQuery(scene, job, page))
    const next = step === 1 ? results[0] : results.at(-1)
    if (next) turn(() => ({ ...page, row: next.row }), { replace: true })
  }
  return {
    go,
    hasPrevious: isInPage && skip + at > 0,
    hasNext: isInPage && skip + at + 1 < (data?.total ?? 0),
  }
}
