import { STATUSES } from '@probity/contract/constants/validations'
import type { BulkJob } from '@probity/sdk'
import { DonutWithTable, type Portion } from '../../../charts/DonutWithTable.tsx'
import { VERDICTS, VerdictBadge, verdictLook } from '../../../labels/verdict.tsx'
import { capitalised, outcomeOf } from './job-labels.ts'
import { FilterLink } from './SearchLink.tsx'

const COLORS = {
  valid: 'var(--color-valid-solid)',
  risky: 'var(--color-risky-solid)',
  invalid: 'var(--color-invalid-solid)',
  unknown: 'var(--color-unknown-solid)',
}

/** The number of each verdict, as a chart and as a table. */
export function Verdicts({ job, caption, linked = true }: { job: BulkJob; caption: string; linked?: boolean }) {
  const portions = VERDICTS.map((status): Portion => {
    const count = job.status_counts[status]
    return {
      name: status,
      count,
      color: COLORS[status],
      shown: linked && count > 0 ? <VerdictLink status={status} /> : <VerdictBadge status={status} />,
      meaning: capitalised(STATUSES[status]),
      advice: verdictLook(status).advice,
    }
  })
  return <DonutWithTable caption={caption} summary={outcomeOf(job)} noun="addresses" portions={portions} />
}

function VerdictLink({ status }: { status: string }) {
  return (
    <FilterLink
      filter={{ status }}
      className="inline-flex min-h-6 items-center rounded-full underline-offset-4 hover:underline"
      title={`Show ${status} results`}
    >
      <VerdictBadge status={status} />
    </FilterLink>
  )
}
