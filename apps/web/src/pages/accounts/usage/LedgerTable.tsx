import type { LedgerEntry } from '@probity/sdk'
import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { kindLabel } from '../../../labels/ledger-kinds.ts'
import { formatCount, formatDateTime, formatNumber } from '../../../ui/format.ts'
import { Table, Td, Th } from '../../../ui/Table.tsx'

/** One page of transactions. Narrow screens show cards instead. */
export function LedgerTable({ entries }: { entries: LedgerEntry[] }) {
  return (
    <Table caption="Credit transactions" className="hidden md:block">
      <thead>
        <tr>
          <Th>Time</Th>
          <Th>Type</Th>
          <Th align="end">Credits</Th>
          <Th align="end">Balance</Th>
          <Th>Key</Th>
          <Th>Note</Th>
        </tr>
      </thead>
      <tbody className="[&_tr:last-child>td]:border-b-0">
        {entries.map((entry) => (
          <tr key={entry.id}>
            <Td className="whitespace-nowrap text-soft">
              <time dateTime={entry.occurred_at}>{formatDateTime(entry.occurred_at)}</time>
            </Td>
            <Td className="min-w-40">
              <What entry={entry} />
            </Td>
            <Td align="end">
              <Change entry={entry} />
            </Td>
            <Td align="end">{formatNumber(entry.available_after)}</Td>
            <Td className="max-w-48 text-soft [overflow-wrap:anywhere]">{entry.key_name ?? '–'}</Td>
            <Td className="max-w-56 text-soft [overflow-wrap:anywhere]">{entry.note ?? '–'}</Td>
          </tr>
        ))}
      </tbody>
    </Table>
  )
}

/** The same fields as cards. */
export function EntryCards({ entries }: { entries: LedgerEntry[] }) {
  return (
    <ul aria-label="Credit transactions" className="flex flex-col divide-y divide-line md:hidden">
      {entries.map((entry) => (
        <li key={entry.id} className="flex flex-col gap-1 py-3">
          <div className="flex items-start justify-between gap-4">
            <What entry={entry} />
            <Change entry={entry} />
          </div>
          <p className="text-[0.8125rem] text-faint">
            <time dateTime={entry.occurred_at}>{formatDateTime(entry.occurred_at)}</time>, balance{' '}
            {formatNumber(entry.available_after)}
          </p>
          {(entry.key_name || entry.note) && (
            <p className="text-[0.8125rem] text-soft [overflow-wrap:anywhere]">
              {[entry.key_name, entry.note].filter(Boolean).join(' · ')}
            </p>
          )}
        </li>
      ))}
    </ul>
  )
}

function What({ entry: { kind, job_id, filename } }: { entry: LedgerEntry }) {
  return (
    <div className="min-w-0">
      <p>{kindLabel(kind)}</p>
      {job_id && filename && (
        <Link
          to="/lists/$jobId"
          params={{ jobId: job_id }}
          className="text-[0.8125rem] [overflow-wrap:anywhere] text-accent-text underline-offset-4 hover:underline"
        >
          {filename}
        </Link>
      )}
      {job_id && !filename && <p className="text-[0.8125rem] text-faint">Deleted list</p>}
    </div>
  )
}

/** Screen readers may skip the sign, so hidden text says whether credits were added or deducted. */
function Change({ entry: { credits, available_change } }: { entry: LedgerEntry }) {
  if (available_change === 0) {
    return <span className="text-soft tabular-nums">{formatNumber(Math.abs(credits))} from reserved credits</span>
  }
  const came = available_change > 0
  return (
    <span className={clsx('whitespace-nowrap tabular-nums', came ? 'text-valid' : 'text-ink')}>
      <span aria-hidden="true">
        {came ? '+' : '−'}
        {formatNumber(Math.abs(available_change))}
      </span>
      <span className="sr-only">
        {formatCount(Math.abs(available_change), 'credit')} {came ? 'added' : 'deducted'}
      </span>
    </span>
  )
}
