import type { JobResult } from '@probity/sdk'
import { memo } from 'react'
import { VerdictBadge } from '../../../labels/VerdictBadge.tsx'
import { formatNumber, formatShare } from '../../../ui/format.ts'
import { Table, Td, Th } from '../../../ui/Table.tsx'
import { useNarrow } from '../../../ui/use-narrow.ts'
import { providerWord, reasonWord } from './reason.ts'
import { PlainLink, useRowHref } from './SearchLink.tsx'
import { useTurn } from './use-list-search.ts'

type Place = { hrefOf(row: number): string; open(row: number): void }

/** One page of results. Memoized, since opening a result does not change it. */
export const ResultsTable = memo(function ResultsTable({ results }: { results: JobResult[] }) {
  const isNarrow = useNarrow()
  const turn = useTurn()
  const place: Place = { hrefOf: useRowHref(), open: (row) => turn((now) => ({ ...now, row })) }
  if (isNarrow) return <ResultCards results={results} place={place} />
  return (
    <Table caption="Results">
      <thead>
        <tr>
          <Th>Address</Th>
          <Th>Verdict</Th>
          <Th>Reason</Th>
          <Th>Provider</Th>
          <Th align="end">Confidence</Th>
          <Th align="end">Row</Th>
        </tr>
      </thead>
      <tbody>
        {results.map((result) => (
          <tr key={result.row}>
            <Td className="max-w-xs [overflow-wrap:anywhere]">
              <ResultLink result={result} place={place} />
              <Suggestion result={result} />
            </Td>
            <Td>
              <VerdictBadge status={result.status} />
            </Td>
            <Td className="text-soft">{reasonWord(result.sub_status)}</Td>
            <Td className="text-soft">{providerWord(result.provider)}</Td>
            <Td align="end">{formatShare(result.confidence)}</Td>
            <Td align="end" className="text-faint">
              {formatNumber(result.row)}
            </Td>
          </tr>
        ))}
      </tbody>
    </Table>
  )
})

function ResultCards({ results, place }: { results: JobResult[]; place: Place }) {
  return (
    <ul className="flex flex-col divide-y divide-line border-y border-line">
      {results.map((result) => (
        <li key={result.row} className="flex flex-col gap-1.5 py-3">
          <ResultLink result={result} place={place} />
          <Suggestion result={result} />
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-[0.8125rem] text-soft">
            <VerdictBadge status={result.status} />
            <span>{reasonWord(result.sub_status)}</span>
          </div>
          <p className="text-[0.8125rem] text-faint tabular-nums">
            {providerWord(result.provider)} · confidence {formatShare(result.confidence)} · row{' '}
            {formatNumber(result.row)}
          </p>
        </li>
      ))}
    </ul>
  )
}

function ResultLink({ result: { email, row }, place }: { result: JobResult; place: Place }) {
  return (
    <PlainLink
      href={place.hrefOf(row)}
      onFollow={() => place.open(row)}
      className="inline-flex min-h-6 items-center font-medium [overflow-wrap:anywhere] underline-offset-4 hover:underline pointer-coarse:min-h-10"
    >
      {email}
    </PlainLink>
  )
}

function Suggestion({ result: { did_you_mean } }: { result: JobResult }) {
  if (did_you_mean === null) return null
  return <p className="text-[0.8125rem] text-faint">Did you mean {did_you_mean}?</p>
}
