import type { DoctorReport, StoredFinding } from '@probity/contract/schemas/operators'
import { useMutation, useQuery } from '@tanstack/react-query'
import { RotateCw, Stethoscope } from 'lucide-react'
import { asRequestFailed } from '../../session/probity.ts'
import { Button } from '../../ui/Button.tsx'
import { Callout } from '../../ui/Callout.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/States.tsx'
import { FindingCard, FindingLine } from './Finding.tsx'
import { doctorQuery } from './queries.ts'
import { useOperatorCall } from './use-operator-call.ts'

const WAITING_EVERY_MS = 2_000
const QUIET_EVERY_MS = 30_000

/** The latest doctor findings, most severe first, with the fix for each. */
export function Doctor() {
  const { data, error, isError, refetch } = useQuery({
    ...doctorQuery,
    refetchInterval: ({ state }) => (state.data?.run_requested ? WAITING_EVERY_MS : QUIET_EVERY_MS),
  })
  if (data === undefined) {
    return isError ? (
      <ErrorState error={error} onRetry={() => void refetch()} what="The doctor findings could not be loaded" />
    ) : (
      <Skeleton lines={6} label="Loading doctor findings" />
    )
  }
  return (
    <div className="flex flex-col gap-4">
      {isError && <Callout kind="warning">The data could not be refreshed. It may be out of date.</Callout>}
      <Head report={data} />
      {data.findings.length === 0 ? <NothingYet /> : <Findings findings={data.findings} />}
    </div>
  )
}

function Head({ report: { findings, run_requested: isRequested } }: { report: DoctorReport }) {
  const call = useOperatorCall()
  const { mutate, isPending, isError, error } = useMutation({
    mutationFn: () => call('/doctor/run', {}, 'Checks run again within 10 seconds.'),
  })
  const newest = findings
    .map(({ checked_at }) => checked_at)
    .toSorted()
    .at(-1)
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 className="text-base font-semibold">{summary(findings)}</h2>
        <Button
          onClick={() => mutate()}
          busy={isPending || isRequested}
          icon={<RotateCw className="size-4" aria-hidden="true" />}
        >
          {isRequested ? 'Running checks' : 'Run checks'}
        </Button>
      </div>
      <p className="max-w-prose text-soft">
        Each worker host runs all checks hourly and on demand.{' '}
        {newest && (
          <>
            Last run: <RelativeTime at={newest} />.{' '}
          </>
        )}
        <code className="font-mono">pnpm admin doctor</code> runs them on the current host.
      </p>
      {isError && (
        <Callout kind="error" live>
          {asRequestFailed(error).message}
        </Callout>
      )}
    </div>
  )
}

function summary(findings: StoredFinding[]): string {
  const count = (status: StoredFinding['status']) => findings.filter((finding) => finding.status === status).length
  const [broken, advised, unseen] = [count('fail'), count('warn'), count('unknown')]
  if (findings.length === 0) return 'No checks have run yet'
  const parts = [
    broken > 0 && `${broken} failing`,
    advised > 0 && `${advised} ${advised === 1 ? 'warning' : 'warnings'}`,
    unseen > 0 && `${unseen} could not run`,
  ].filter((part) => part !== false)
  return parts.length === 0 ? 'All checks pass' : parts.join(' · ')
}

function NothingYet() {
  return (
    <EmptyState icon={<Stethoscope aria-hidden="true" />} title="No worker has run the checks yet">
      <p>A worker runs them shortly after it starts, and then hourly.</p>
    </EmptyState>
  )
}

function Findings({ findings }: { findings: StoredFinding[] }) {
  const well = findings.filter(({ status }) => status === 'pass')
  const others = findings.filter(({ status }) => status !== 'pass')
  return (
    <>
      {others.length > 0 && (
        <ul aria-label="Findings" className="flex flex-col gap-3">
          {others.map((finding) => (
            <FindingCard key={keyOf(finding)} finding={finding} />
          ))}
        </ul>
      )}
      {well.length > 0 && (
        <section className="rounded-lg border border-line bg-surface px-5 py-4 shadow-card">
          <h3 className="font-medium">Passing</h3>
          <ul aria-label="Passing" className="mt-2 flex flex-col gap-1.5">
            {well.map((finding) => (
              <FindingLine key={keyOf(finding)} finding={finding} />
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

function keyOf({ host, id, subject }: StoredFinding): string {
  return JSON.stringify([host, id, subject])
}
