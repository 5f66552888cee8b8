import type { BulkJob } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { useScene } from '../../../session/scene.ts'
import { Dialog } from '../../../ui/Dialog.tsx'
import { formatNumber } from '../../../ui/format.ts'
import { ErrorState, Skeleton } from '../../../ui/States.tsx'
import { Chance } from '../../validations/result/Chance.tsx'
import { ResultDetails } from '../../validations/result/ResultDetails.tsx'
import { resultQuery } from './queries.ts'
import { useListSearch } from './use-list-search.ts'

/** One result with all its evidence. It is open while the URL names its row. */
export function ResultDrawer({ job }: { job: BulkJob }) {
  const { search, turn } = useListSearch()
  if (search.row === undefined) return null
  return <OpenResult job={job} row={search.row} onClose={() => turn(({ row: _, ...now }) => now, { replace: true })} />
}

function OpenResult({ job, row, onClose }: { job: BulkJob; row: number; onClose(): void }) {
  const { data, error, refetch } = useQuery(resultQuery(useScene(), job.id, row))
  return (
    <Dialog drawer open onClose={onClose} title={`Row ${formatNumber(row)}`} about={job.filename}>
      {data && <ResultDetails result={data} Explain={Chance} />}
      {error && <ErrorState error={error} onRetry={() => void refetch()} what="This result could not be loaded" />}
      {!data && !error && <Skeleton lines={8} label="Loading the result" />}
    </Dialog>
  )
}
