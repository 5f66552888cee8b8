import type { DoctorFix, DoctorStatus } from '@probity/contract/constants/operators'
import type { DoctorReport, StoredFinding } from '@probity/contract/schemas/operators'
import { useMutation, useQuery } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, CircleHelp, RotateCw, Stethoscope, TriangleAlert } from 'lucide-react'
import { asRequestFailed } from '../../session/client.ts'
import { Badge, type Tone } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Callout } from '../../ui/Callout.tsx'
import { CodeBlock } from '../../ui/Code.tsx'
import { formatCount, formatDateTime } from '../../ui/format.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { EmptyState, PageFrame } from '../../ui/States.tsx'
import { useOperatorCall } from './ConfirmCall.tsx'
import { doctorQuery } from './queries.ts'

const WAITING_EVERY_MS = 2_000
const QUIET_EVERY_MS = 30_000

/** The latest doctor findings, most severe first, with the fix for each. */
export function Doctor() {
  const query = useQuery({
    ...doctorQuery,
    refetchInterval: ({ state }) => (state.data?.run_requested ? WAITING_EVERY_MS : QUIET_EVERY_MS),
  })
  const { data, isError } = query
  if (data === undefined)
    return (
      <PageFrame
        query={query}
        failed="The doctor findings could not be loaded"
        loading="Loading doctor findings"
        lines={6}
      />
    )
  return (
    <div className="flex flex-col gap-4">
      {isError && <Callout kind="warning">The data could not be refreshed. It may be out of date.</Callout>}
      <Head report={data} />
      {data.findings.length === 0 ? <NoFindings /> : <Findings findings={data.findings} />}
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
        <code className="font-mono whitespace-nowrap">probity-admin doctor</code> runs them on the current host.
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
  if (findings.length === 0) return 'Doctor'
  const parts = [
    broken > 0 && formatCount(broken, 'check fails', 'checks fail'),
    advised > 0 && formatCount(advised, 'warning'),
    unseen > 0 && formatCount(unseen, 'check could not run', 'checks could not run'),
  ].filter((part) => part !== false)
  return parts.length === 0 ? 'All checks pass' : parts.join(', ')
}

function NoFindings() {
  return (
    <EmptyState icon={<Stethoscope aria-hidden="true" />} title="No checks have run yet">
      <p>A worker runs the checks shortly after it starts, and then hourly.</p>
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

const LOOKS: Record<DoctorStatus, { word: string; tone: Tone; Icon: typeof CircleCheck }> = {
  fail: { word: 'Fail', tone: 'invalid', Icon: CircleAlert },
  warn: { word: 'Warning', tone: 'risky', Icon: TriangleAlert },
  unknown: { word: 'Unknown', tone: 'unknown', Icon: CircleHelp },
  pass: { word: 'Pass', tone: 'valid', Icon: CircleCheck },
}

/** A finding in full: what was observed, why it matters and how to fix it. */
function FindingCard({ finding }: { finding: StoredFinding }) {
  const { title, status, saw, why, fix, docs, since_at: since } = finding
  const { word, tone, Icon } = LOOKS[status]
  return (
    <li className="flex flex-col gap-2 rounded-lg border border-line bg-surface px-5 py-4 shadow-card">
      <div className="flex flex-wrap items-start justify-between gap-x-3 gap-y-1">
        <h3 className="min-w-0 font-medium [overflow-wrap:anywhere]">{title}</h3>
        <Badge tone={tone} icon={<Icon aria-hidden="true" />}>
          {word}
        </Badge>
      </div>
      <p className="text-xs text-faint [overflow-wrap:anywhere]">
        {aboutOf(finding)} Since {formatDateTime(since)}.
      </p>
      <p className="max-w-prose [overflow-wrap:anywhere]">{saw}</p>
      <p className="max-w-prose text-soft">{why}</p>
      {fix && <FixBlock fix={fix} title={title} />}
      <a href={docs} className="self-start text-[0.8125rem] text-accent-text underline underline-offset-2">
        Documentation: {finding.id}
      </a>
    </li>
  )
}

function FixBlock({ fix: { says, lines }, title }: { fix: DoctorFix; title: string }) {
  return (
    <div className="flex flex-col gap-2">
      <p className="max-w-prose">
        <span className="font-medium">Fix: </span>
        {says}
      </p>
      {lines.length > 0 && <CodeBlock code={lines.join('\n')} label={`Commands for: ${title}`} />}
    </div>
  )
}

function aboutOf({ subject, host }: StoredFinding): string {
  const parts = [subject, host && `host ${host}`].filter((part) => part)
  return parts.length === 0 ? '' : `${parts.join(', ')}.`
}

/** Passing checks take one line. */
function FindingLine({ finding }: { finding: StoredFinding }) {
  const { title, subject, saw } = finding
  const { tone, word, Icon } = LOOKS.pass
  return (
    <li className="flex flex-wrap items-start gap-x-2 gap-y-1 text-[0.8125rem]">
      <Badge tone={tone} icon={<Icon aria-hidden="true" />}>
        {word}
      </Badge>
      <p className="min-w-0 flex-1 basis-60 [overflow-wrap:anywhere]">
        {title}
        {subject && <span className="text-faint"> ({subject})</span>}
        <span className="text-soft">: {saw}</span>
      </p>
    </li>
  )
}
