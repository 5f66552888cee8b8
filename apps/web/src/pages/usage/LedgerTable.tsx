import type { LedgerEntry } from '@probity/sdk'
import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { formatCount, formatDateTime, formatNumber } from '../../ui/format.ts'
import { Table, Td, Th } from '../../ui/Table.tsx'
import { kindLabel } from '../../words/ledger-kinds.ts'

/** The movements of one page. On phones the same stands in cards. */
export function LedgerTable({ entries }: { entries: LedgerEntry[] }) {
  return (
    <Table caption="Movements of credits" className="hidden md:block">
      <thead>
        <tr>
          <Th>When</Th>
          <Th>What</Th>
          <Th align="end">Credits</Th>
          <Th align="end">Available after</Th>
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

/** The same fields below one another. */
export function EntryCards({ entries }: { entries: LedgerEntry[] }) {
  return (
    <ul aria-label="Movements of credits" className="flex flex-col divide-y divide-line md:hidden">
      {entries.map((entry) => (
        <li key={entry.id} className="flex flex-col gap-1 py-3">
          <div className="flex items-start justify-between gap-4">
            <What entry={entry} />
            <Change entry={entry} />
          </div>
          <p className="text-[0.8125rem] text-faint">
            <time dateTime={entry.occurred_at}>{formatDateTime(entry.occurred_at)}</time>,{' '}
            {formatNumber(entry.available_after)} available after
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
      {job_id && !filename && <p className="text-[0.8125rem] text-faint">A list that was deleted</p>}
    </div>
  )
}

/** A sign alone is easily missed, by the eye and by screen readers: a word says which way they went. */
function Change({ entry: { credits, available_change } }: { entry: LedgerEntry }) {
  if (available_change === 0) {
    return <span className="text-soft tabular-nums">{formatNumber(Math.abs(credits))} from what was set aside</span>
  }
  const came = available_change > 0
  return (
    <span className={clsx('whitespace-nowrap tabular-nums', came ? 'text-valid' : 'text-ink')}>
      <span aria-hidden="true">
        {came ? '+' : '−'}
        {formatNumber(Math.abs(available_change))}
      </span>
      <span className="sr-only">
        {formatCount(Math.abs(available_change), 'credit')} {came ? 'came' : 'went'}
      </span>
    </span>
  )
}
