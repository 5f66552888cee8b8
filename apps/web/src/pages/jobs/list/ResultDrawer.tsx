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
import { withoutResult } from '../search.ts'
import { pageSizeOf, type ResultPlace, resultQuery, resultsQuery } from './queries.ts'
import { placeOf, useListSearch } from './SearchLink.tsx'

/** One result with all its evidence. It is open while the URL names its row. */
export function ResultDrawer({ job }: { job: BulkJob }) {
  const { search, turn } = useListSearch()
  const { row, position } = search
  if (row === undefined) return null
  return <OpenResult job={job} place={{ row, position }} onClose={() => turn(withoutResult, { replace: true })} />
}

function OpenResult({ job, place, onClose }: { job: BulkJob; place: ResultPlace; onClose(): void }) {
  const query = useQuery(resultQuery(useScene(), job, place))
  const { go, hasPrevious, hasNext } = useNeighbors(job, place)
  // The address of an erased result is empty.
  const email = query.data?.email ?? ''
  const where = describePlace(place)
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
      title={email === '' ? where : email}
      about={email === '' ? job.filename : `${where} · ${job.filename}`}
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
        {email !== '' && `${email}, row ${formatNumber(place.row)}`}
      </p>
      <PageFrame query={query} failed="This result could not be loaded" loading="Loading the result" lines={8}>
        {(result) => <ResultDetails result={result} isTitled Explain={Deliverability} />}
      </PageFrame>
    </Dialog>
  )
}

function describePlace({ row, position = 1 }: ResultPlace): string {
  return `Row ${formatNumber(row)} of the file${position > 1 ? `, address ${position} of its cell` : ''}`
}

function isField(target: EventTarget): boolean {
  return target instanceof Element && target.closest('input, textarea, select') !== null
}

/** Opens the result before or after one, in the order of the table. At the end of a page the next page is loaded. */
function useNeighbors(job: BulkJob, { row, position }: ResultPlace) {
  const scene = useScene()
  const queryClient = useQueryClient()
  const { search, turn } = useListSearch()
  const { data } = useQuery(resultsQuery(scene, job, search))
  const found = data?.results ?? []
  const { skip = 0 } = search
  const at = found.findIndex((one) => one.row === row && (position === undefined || one.position === position))
  const isInPage = at >= 0

  async function go(step: 1 | -1) {
    const neighbor = found[at + step]
    if (neighbor) return turn((now) => ({ ...withoutResult(now), ...placeOf(neighbor) }), { replace: true })
    const start = Math.max(0, skip + step * pageSizeOf(search))
    const { skip: _, ...rest } = search
    const page = start === 0 ? rest : { ...rest, skip: start }
    const { results } = await queryClient.fetchQuery(resultsQuery(scene, job, page))
    const next = step === 1 ? results[0] : results.at(-1)
    if (next) turn(() => ({ ...withoutResult(page), ...placeOf(next) }), { replace: true })
  }
  return {
    go,
    hasPrevious: isInPage && skip + at > 0,
    hasNext: isInPage && skip + at + 1 < (data?.total ?? 0),
  }
}
