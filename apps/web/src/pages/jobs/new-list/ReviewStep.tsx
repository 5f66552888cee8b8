import type { UploadPreview } from '@probity/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { providerName } from '../../../labels/provider-names.ts'
import { accountQuery, useScene } from '../../../session/workspace.ts'
import { ProbingNotice } from '../../../shell/ProbingNotice.tsx'
import { Card } from '../../../ui/Card.tsx'
import { formatCount, formatNumber, formatShare } from '../../../ui/format.ts'
import { Skeleton } from '../../../ui/States.tsx'
import { DataTable } from '../../../ui/Table.tsx'
import { LineSum } from '../list/LineSum.tsx'
import { uploadQuery } from '../lists/lists-query.ts'
import type { Cells } from '../search.ts'
import { Confirm, InsufficientCredits, isTooShort } from './Confirm.tsx'
import { DraftMissing, FileFacts, SameFileNotice } from './DraftParts.tsx'
import { Values } from './Values.tsx'

/** The price and the next steps, before the list is confirmed. */
export function ReviewStep({ upload, column, cells }: { upload: string; column: string; cells: Cells }) {
  const query = uploadQuery(useScene(), upload, { cells, emailColumn: column })
  // A corrected upload, or one with other options, takes the place of the present one.
  const { data, error, isPlaceholderData, refetch } = useQuery({ ...query, placeholderData: keepPreviousData })
  if (data)
    return <Review preview={data} column={column} isOutdated={isPlaceholderData} onRefresh={() => void refetch()} />
  if (error) return <DraftMissing error={error} onRetry={() => void refetch()} />
  return (
    <Card>
      <Skeleton lines={8} label="Counting the addresses" />
    </Card>
  )
}

type ReviewProps = { preview: UploadPreview; column: string; isOutdated: boolean; onRefresh(): void }

function Review({ preview, column, isOutdated, onRefresh }: ReviewProps) {
  // On phones the price, the next steps and the confirm button come first.
  return (
    <div className="grid items-start gap-5 max-sm:pb-20 lg:grid-cols-[minmax(0,1fr)_21rem] lg:grid-rows-[auto_1fr] max-sm:[&_:is(a,button,section)]:scroll-mb-36">
      <div className="flex min-w-0 flex-col gap-5">
        <ProbingNotice probing={preview.probing} />
        {isTooShort(preview) && <InsufficientCredits preview={preview} onRefresh={onRefresh} />}
        <FileFacts preview={preview} />
        <SameFileNotice preview={preview} />
        <Card title="Summary" about={<ChosenColumn column={column} />}>
          <p role="status" className="mb-3 text-pretty">
            <LineSum sum={{ ...preview, done_count: 0 }} />
          </p>
          <CostTable preview={preview} />
        </Card>
        <Values preview={preview} />
      </div>
      <div className="flex min-w-0 flex-col gap-5 lg:sticky lg:top-20 lg:col-start-2 lg:row-span-2 lg:row-start-1">
        <Card title="Next steps">
          <NextSteps />
        </Card>
        <Confirm preview={preview} column={column} isOutdated={isOutdated} onRefresh={onRefresh} />
      </div>
      <Card title="Mailbox providers" about="Based on well-known domains. Other domains are looked up in DNS.">
        <ProviderMix preview={preview} />
      </Card>
    </div>
  )
}

function ChosenColumn({ column }: { column: string }) {
  return (
    <>
      Column <strong className="font-medium text-ink [overflow-wrap:anywhere]">{column}</strong>.{' '}
      <Link
        to="/lists/new"
        search={(now) => ({ ...now, step: 'column' as const })}
        className="text-accent-text underline underline-offset-4"
      >
        Change
      </Link>
    </>
  )
}

/** The number of addresses, the price and the balance. */
function CostTable({ preview }: { preview: UploadPreview }) {
  const { unique_count: unique, credits } = preview
  const price = preview.livemode ? formatCount(credits.quote, 'credit') : 'free in test mode'
  return (
    <table className="w-full border-collapse">
      <caption className="sr-only">Addresses and cost</caption>
      <thead className="text-xs text-faint">
        <tr className="border-b border-line">
          <th scope="col" className="py-2 text-start font-medium">
            <span className="sr-only">Item</span>
          </th>
          <th scope="col" className="px-3 py-2 text-end font-medium">
            Count
          </th>
          <th scope="col" className="py-2 text-end font-medium">
            Cost
          </th>
        </tr>
      </thead>
      <tbody className="last:[&_tr:last-child]:border-b-0">
        <Line label="Unique addresses to validate" count={unique} cost={price} strong />
      </tbody>
      <Balance credits={credits} livemode={preview.livemode} />
    </table>
  )
}

type LineProps = { label: ReactNode; count?: number; cost?: string; strong?: boolean }

function Line({ label, count, cost, strong = false }: LineProps) {
  return (
    <tr className={clsx('border-b border-line', strong && 'font-semibold')}>
      <th scope="row" className={clsx('py-2.5 text-start [overflow-wrap:anywhere]', !strong && 'font-normal')}>
        {label}
      </th>
      <td className="px-3 py-2.5 text-end tabular-nums">{count !== undefined && formatNumber(count)}</td>
      <td className={clsx('py-2.5 text-end tabular-nums', !strong && 'text-soft')}>{cost}</td>
    </tr>
  )
}

/** The balance before and after the list. Test mode uses no credits. */
function Balance({ credits, livemode }: Pick<UploadPreview, 'credits' | 'livemode'>) {
  if (!livemode) return null
  const { available, quote, unlimited } = credits
  const after = available - quote
  const afterText = after < 0 ? `${formatNumber(-after)} short` : formatNumber(after)
  return (
    <tfoot className="[&_tr:last-child]:border-b-0">
      <Line label="Available credits" cost={unlimited ? 'unlimited' : formatNumber(available)} />
      <Line label="Credits after this list" cost={unlimited ? 'unlimited' : afterText} />
    </tfoot>
  )
}

const NAMED_MAX = 4
/** One color fading from the largest part to the smallest, so that it is not mistaken for verdicts. */
const FILLS = ['bg-accent-text', 'bg-accent-text/70', 'bg-accent-text/48', 'bg-accent-text/32'] as const
const OTHERS_FILL = 'bg-accent-text/20'
const UNTOLD_FILL = 'bg-unknown-solid/40'

type Part = { name: string; count: number; fill: string }

/** Unique addresses by mailbox provider, as a bar and as a table. */
function ProviderMix({ preview }: { preview: UploadPreview }) {
  const parts = partsOf(preview.provider_mix)
  const whole = Math.max(1, preview.unique_count)
  return (
    <figure className="flex flex-col gap-3">
      <div className="flex h-3 gap-px overflow-hidden rounded-full bg-hover" aria-hidden="true">
        {parts.map(({ name, count, fill }) => (
          <div key={name} className={fill} style={{ width: `${(count / whole) * 100}%` }} />
        ))}
      </div>
      <figcaption className="sr-only">Unique addresses by mailbox provider.</figcaption>
      <DataTable
        caption="Addresses by provider"
        columns={[
          {
            head: 'Provider',
            className: 'py-2!',
            cell: ({ name, fill }) => (
              <span className="inline-flex items-center gap-2">
                <span className={clsx('size-2.5 shrink-0 rounded-full', fill)} aria-hidden="true" />
                {name}
              </span>
            ),
          },
          { head: 'Addresses', align: 'end', cell: ({ count }) => formatNumber(count) },
          { head: 'Share', align: 'end', cell: ({ count }) => formatShare(count / whole) },
        ]}
        rows={parts}
        keyOf={({ name }) => name}
      />
    </figure>
  )
}

function partsOf(mix: UploadPreview['provider_mix']): Part[] {
  const told = mix.filter(({ provider }) => provider !== '')
  const named = told.slice(0, NAMED_MAX).map(({ provider, count }, n) => {
    return { name: providerName(provider), count, fill: FILLS[n] ?? OTHERS_FILL }
  })
  const others = total(told.slice(NAMED_MAX))
  const untold = total(mix.filter(({ provider }) => provider === ''))
  return [
    ...named,
    { name: 'Other well-known providers', count: others, fill: OTHERS_FILL },
    { name: 'Other domains', count: untold, fill: UNTOLD_FILL },
  ].filter(({ count }) => count > 0)
}

function total(shares: UploadPreview['provider_mix']): number {
  return shares.reduce((sum, { count }) => sum + count, 0)
}

/** The processing of a confirmed list, its refunds and its expiration. */
function NextSteps() {
  const scene = useScene()
  const { data: account } = useQuery(accountQuery(scene))
  const isLive = scene.mode === 'live'
  const days = Math.max(1, account?.retention_days ?? 0)
  return (
    <ol className="flex list-decimal flex-col gap-2 ps-4 text-soft marker:text-faint">
      <li>
        {isLive
          ? 'Credits are reserved now and charged as each address completes.'
          : 'Results are simulated. No mail servers are contacted.'}
      </li>
      {isLive && account?.plan.refund_unknown && <li>Unknown results are refunded.</li>}
      {isLive && <li>Most addresses complete within minutes. Greylisted addresses take longer.</li>}
      <li>You can close the page. Validation continues, and you can pause or cancel the list.</li>
      <li>
        The download has your original rows in the same order, with result columns appended. Values that are not
        validated have a file of their own.
      </li>
      {account && (
        <li>Addresses and results expire {formatCount(days, 'day')} after you confirm. The summary is kept.</li>
      )}
    </ol>
  )
}
