import type { UploadPreview } from '@probity/sdk'
import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { formatCount, formatNumber } from '../../../ui/format.ts'

/** The row counts of the file and the price. */
export function CostTable({ preview, column }: { preview: UploadPreview; column: string }) {
  const { row_count: rows, empty_count: empty, unique_count: unique, duplicate_count: repeated, credits } = preview
  const { not_address_count: skipped } = preview
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
        <Line label="Rows in the file" count={rows} />
        <Line label={`Rows without a value in ${column}`} count={empty} cost="free" />
        {skipped > 0 && <Line label="Rows without an address" count={skipped} cost="free" />}
        <Line label="Duplicate rows" count={repeated} cost="free" />
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
