import type { Report } from '@probity/contract/schemas/jobs/reports'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Printer } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { Donut } from '../../../charts/Donut.tsx'
import { totalOf, VERDICT_COLORS, VERDICTS, VerdictBadge, verdictLook } from '../../../labels/verdict.tsx'
import { asRequestFailed, callApi } from '../../../session/client.ts'
import { useSecretHash } from '../../../session/session.ts'
import { OpenPage } from '../../../shell/OpenPage.tsx'
import { Button } from '../../../ui/Button.tsx'
import { formatDate, formatNumber, formatShare } from '../../../ui/format.ts'
import { Mark } from '../../../ui/Mark.tsx'
import { useHeadingFocus } from '../../../ui/Page.tsx'
import { ErrorState, Skeleton } from '../../../ui/States.tsx'
import { type Column, DataTable } from '../../../ui/Table.tsx'
import { providerWord, reasonWord } from '../list/job-labels.ts'
import { LineSum } from '../list/LineSum.tsx'
import { VerdictBar } from '../list/VerdictBar.tsx'

/** The report of a list, for readers of its link. Prints on one sheet. */
export function ReportPage() {
  const token = useSecretHash()
  const report = useQuery(reportQuery(token))
  if (report.data) return <ReportSheet report={report.data} />
  if (token === '' || (report.isError && asRequestFailed(report.error).status === 404)) return <Unavailable />
  return (
    <OpenPage title="Report">
      {report.isError ? (
        <ErrorState what="The report could not be loaded" error={report.error} onRetry={() => void report.refetch()} />
      ) : (
        <Skeleton lines={6} label="Loading the report" />
      )}
    </OpenPage>
  )
}

function Unavailable() {
  return (
    <OpenPage
      title="Report not available"
      about="The link has expired or was revoked, or it is incomplete. Ask the sender for a new link."
    >
      {null}
    </OpenPage>
  )
}

function ReportSheet({ report }: { report: Report }) {
  const { status_counts, by_reason, by_provider } = report
  return (
    <div className="mx-auto w-full max-w-4xl px-4 py-8 sm:px-6 print:max-w-none print:p-0">
      <ReportHeader report={report} />
      <main className="flex flex-col gap-6 print:gap-4">
        <Sheet title="Results by verdict">
          <div className="flex flex-wrap items-center gap-x-8 gap-y-4">
            <Donut slices={slicesOf(status_counts)} noun="addresses" summary={summaryOf(status_counts)} />
            <DataTable
              caption="Results by verdict"
              className="min-w-0 flex-1 basis-60"
              columns={verdictColumns(status_counts)}
              rows={VERDICTS}
              keyOf={(status) => status}
            />
          </div>
        </Sheet>
        <div className="grid grid-cols-1 items-start gap-6 md:grid-cols-2 print:grid-cols-2 print:gap-4">
          <Sheet title="Results by reason">
            <DataTable
              caption="Results by reason"
              columns={REASON_COLUMNS}
              rows={topReasons(by_reason)}
              keyOf={({ name: reason, status }) => `${status} ${reason}`}
            />
          </Sheet>
          {by_provider && (
            <Sheet title="Results by mailbox provider">
              <DataTable
                caption="Results by mailbox provider"
                columns={PROVIDER_COLUMNS}
                rows={topProviders(by_provider)}
                keyOf={({ name: provider }) => provider}
              />
            </Sheet>
          )}
        </div>
      </main>
      <footer className="mt-6 text-[0.8125rem] text-faint print:mt-3">
        This report contains sums only, and no addresses. The link expires on {formatDate(report.link_expires_at)}.
      </footer>
    </div>
  )
}

function ReportHeader({ report }: { report: Report }) {
  const { name } = report
  const top = useHeadingFocus('report')
  useEffect(() => {
    document.title = `Report: ${name} · Probity`
  }, [name])
  return (
    <header className="mb-6 flex flex-wrap items-start justify-between gap-x-6 gap-y-3 print:mb-4">
      <div className="min-w-0">
        <p className="mb-2 flex items-center gap-2 text-soft">
          <Mark className="size-5" /> Probity, email validation report
        </p>
        <h1 ref={top} tabIndex={-1} className="text-[1.375rem] leading-tight font-semibold break-words">
          {name}
        </h1>
        <About report={report} />
      </div>
      <Button
        className="print:hidden"
        icon={<Printer className="size-4" aria-hidden="true" />}
        onClick={() => window.print()}
      >
        Print or save as PDF
      </Button>
    </header>
  )
}

function About({ report }: { report: Report }) {
  const { finished_at, livemode, status_counts } = report
  return (
    <p className="mt-1.5 max-w-prose text-soft text-pretty">
      <LineSum sum={{ ...report, done_count: totalOf(status_counts) }} />
      {finished_at !== null && ` Finished on ${formatDate(finished_at)}.`}
      {!livemode && ' Test mode: the results come from the sandbox.'}
    </p>
  )
}

function Sheet({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="min-w-0 break-inside-avoid rounded-lg border border-line bg-surface px-5 py-4 shadow-card print:px-4 print:py-3 print:shadow-none">
      <h2 className="mb-3 text-base font-semibold print:mb-1">{title}</h2>
      {children}
    </section>
  )
}

type Counts = Report['status_counts']
type Verdict = (typeof VERDICTS)[number]

function slicesOf(counts: Counts) {
  return VERDICTS.map((status) => ({
    name: verdictLook(status).word,
    count: counts[status],
    color: VERDICT_COLORS[status],
  }))
}

function summaryOf(counts: Counts): string {
  return VERDICTS.map((status) => `${formatNumber(counts[status])} ${status}`).join(', ')
}

function verdictColumns(counts: Counts): Column<Verdict>[] {
  const total = totalOf(counts)
  return [
    { head: 'Verdict', cell: (status) => <VerdictBadge status={status} /> },
    { head: 'Addresses', align: 'end', cell: (status) => formatNumber(counts[status]) },
    {
      head: 'Share',
      align: 'end',
      className: 'text-soft',
      cell: (status) => formatShare(total === 0 ? 0 : counts[status] / total),
    },
  ]
}

/** So many rows of two tables fit on one sheet; the others are one row. */
const ROWS_MAX = 8

type ReasonRow = { name: string; status: string | undefined; count: number }

function topReasons(reasons: Report['by_reason']): ReasonRow[] {
  const rows = reasons.map(({ status, sub_status, count }) => {
    return { name: sub_status === '' ? verdictLook(status).word : reasonWord(sub_status), status, count }
  })
  const rest = sumOf(rows.slice(ROWS_MAX))
  return [...rows.slice(0, ROWS_MAX), ...(rest > 0 ? [{ name: 'Other reasons', status: undefined, count: rest }] : [])]
}

const REASON_COLUMNS: Column<ReasonRow>[] = [
  {
    head: 'Reason',
    cell: ({ name, status }) => (
      <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
        {name}
        {status !== undefined && <span className="text-xs text-faint">{verdictLook(status).word}</span>}
      </span>
    ),
  },
  { head: 'Addresses', align: 'end', cell: ({ count }) => formatNumber(count) },
]

type ProviderRow = Counts & { name: string; count: number }

/** The largest providers. Unnamed ones are part of the rest. */
function topProviders(providers: NonNullable<Report['by_provider']>): ProviderRow[] {
  const named = providers.filter(({ provider }) => provider !== '').slice(0, ROWS_MAX)
  const rest = providers.filter((row) => !named.includes(row))
  const rows = named.map(({ provider, ...sums }) => ({ ...sums, name: providerWord(provider) }))
  if (rest.length === 0) return rows
  const of = (status: Verdict) => rest.reduce((sum, row) => sum + row[status], 0)
  const others = { valid: of('valid'), risky: of('risky'), invalid: of('invalid'), unknown: of('unknown') }
  return [...rows, { name: providerWord(''), count: sumOf(rest), ...others }]
}

const PROVIDER_COLUMNS: Column<ProviderRow>[] = [
  { head: 'Provider', className: '[overflow-wrap:anywhere]', cell: ({ name }) => name },
  { head: 'Addresses', align: 'end', cell: ({ count }) => formatNumber(count) },
  {
    head: 'Valid',
    align: 'end',
    className: 'text-soft',
    cell: ({ valid, count }) => formatShare(count === 0 ? 0 : valid / count),
  },
  { head: 'Chart', isHeadHidden: true, className: 'w-1/4', cell: (row) => <VerdictBar counts={row} /> },
]

function sumOf(rows: readonly { count: number }[]): number {
  return rows.reduce((sum, { count }) => sum + count, 0)
}

function reportQuery(token: string) {
  return queryOptions({
    queryKey: ['report', token],
    queryFn: ({ signal }) => callApi<Report>('/report', { method: 'POST', body: { token }, signal }),
    enabled: token !== '',
    staleTime: 60_000,
  })
}
