import type { DoctorReport, KeptFinding } from '@probity/contract/doctor'
import { useMutation, useQuery } from '@tanstack/react-query'
import { RotateCw, Stethoscope } from 'lucide-react'
import { asRequestFailed } from '../../api/probity.ts'
import { Button } from '../../ui/Button.tsx'
import { Callout } from '../../ui/Callout.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/States.tsx'
import { FindingCard, FindingLine } from './Finding.tsx'
import { doctorQuery } from './queries.ts'
import { useOperatorCall } from './use-operator-call.ts'

const WAITING_EVERY_MS = 2_000
const QUIET_EVERY_MS = 30_000

/** What the doctor found when it last looked, the worst first, with what to do about it. */
export function Doctor() {
  const { data, error, isError, refetch } = useQuery({
    ...doctorQuery,
    refetchInterval: ({ state }) => (state.data?.wanted ? WAITING_EVERY_MS : QUIET_EVERY_MS),
  })
  if (data === undefined) {
    return isError ? (
      <ErrorState error={error} onRetry={() => void refetch()} what="What the doctor found could not be loaded" />
    ) : (
      <Skeleton lines={6} label="Loading what the doctor found" />
    )
  }
  return (
    <div className="flex flex-col gap-4">
      {isError && <Callout kind="warning">This is as last seen: the service did not answer just now.</Callout>}
      <Head report={data} />
      {data.findings.length === 0 ? <NothingYet /> : <Findings findings={data.findings} />}
    </div>
  )
}

function Head({ report: { findings, wanted } }: { report: DoctorReport }) {
  const call = useOperatorCall()
  const { mutate, isPending, isError, error } = useMutation({
    mutationFn: () => call('/doctor/run', {}, 'The workers look again within ten seconds.'),
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
          busy={isPending || wanted}
          icon={<RotateCw className="size-4" aria-hidden="true" />}
        >
          {wanted ? 'Looking again' : 'Run again'}
        </Button>
      </div>
      <p className="max-w-prose text-soft">
        Each host with a worker looks once an hour, and when you ask for it.{' '}
        {newest && (
          <>
            Last look: <RelativeTime at={newest} />.{' '}
          </>
        )}
        <code className="font-mono">pnpm admin doctor</code> looks from wherever you run it.
      </p>
      {isError && (
        <Callout kind="error" live>
          {asRequestFailed(error).message}
        </Callout>
      )}
    </div>
  )
}

function summary(findings: KeptFinding[]): string {
  const count = (status: KeptFinding['status']) => findings.filter((finding) => finding.status === status).length
  const [broken, advised, unseen] = [count('fail'), count('warn'), count('unknown')]
  if (findings.length === 0) return 'Nobody has looked yet'
  const parts = [
    broken > 0 && `${broken} ${broken === 1 ? 'thing is' : 'things are'} broken`,
    advised > 0 && `${advised} could be better`,
    unseen > 0 && `${unseen} could not be looked at`,
  ].filter((part) => part !== false)
  return parts.length === 0 ? 'All is well' : new Intl.ListFormat('en-GB').format(parts)
}

function NothingYet() {
  return (
    <EmptyState icon={<Stethoscope aria-hidden="true" />} title="No worker has looked yet">
      <p>A worker looks soon after it starts, and then once an hour.</p>
    </EmptyState>
  )
}

function Findings({ findings }: { findings: KeptFinding[] }) {
  const well = findings.filter(({ status }) => status === 'pass')
  const others = findings.filter(({ status }) => status !== 'pass')
  return (
    <>
      {others.length > 0 && (
        <ul aria-label="What needs a look" className="flex flex-col gap-3">
          {others.map((finding) => (
            <FindingCard key={keyOf(finding)} finding={finding} />
          ))}
        </ul>
      )}
      {well.length > 0 && (
        <section className="rounded-lg border border-line bg-surface px-5 py-4 shadow-card">
          <h3 className="font-medium">In order</h3>
          <ul aria-label="In order" className="mt-2 flex flex-col gap-1.5">
            {well.map((finding) => (
              <FindingLine key={keyOf(finding)} finding={finding} />
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

function keyOf({ host, id, subject }: KeptFinding): string {
  return JSON.stringify([host, id, subject])
}
