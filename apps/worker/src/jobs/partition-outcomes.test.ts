import { pendingResult } from '@probity/contract/schemas/validations/stored-result'
import { expect, test } from 'vitest'
import { type Outcome, partitionOutcomes } from './partition-outcomes.ts'

function batchOf(outcomes: Outcome[]) {
  const rowNos = outcomes.map((_, n) => n + 2)
  const batch = {
    rowNos,
    emails: rowNos.map((row) => `a${row}@example.com`),
    deferrals: 1,
    throttles: 4,
    noResponses: 0,
    attempts: 2,
  }
  return partitionOutcomes(batch, outcomes)
}
const late = (
  kind: 'again' | 'hold' | 'silence' | 'failed',
  waitMs: number,
  egress: string | null = 'mx1',
): Outcome => {
  return { kind, waitMs, waitReason: 'greylisted', egress }
}

test('final outcomes are stored with their rows, and the others are retried', () => {
  const result = pendingResult('a2@example.com', 'timeout')
  const { final, later } = batchOf([{ kind: 'final', result }, late('again', 300_000)])
  expect(final).toEqual([{ rowNo: 2, email: 'a2@example.com', result }])
  expect(later).toEqual([
    {
      ...{ rowNos: [3], emails: ['a3@example.com'], egress: 'mx1', waitReason: 'greylisted', waitMs: 300_000 },
      ...{ deferrals: 2, throttles: 4, noResponses: 0, attempts: 0 },
    },
  ])
})

test('rows with similar delays and the same egress wait together, for the longest of them', () => {
  const { later } = batchOf([
    late('again', 299_000),
    late('again', 271_000),
    late('again', 299_500, 'mx2'),
    late('again', 900_000),
  ])
  expect(later.map(({ rowNos, waitMs, egress }) => [rowNos, waitMs, egress])).toEqual([
    [[2, 3], 299_000, 'mx1'],
    [[4], 299_500, 'mx2'],
    [[5], 900_000, 'mx1'],
  ])
})

test('only deferrals by a mail server count as attempts', () => {
  const { later } = batchOf([late('again', 5_000), late('hold', 5_000), late('silence', 5_000), late('failed', 5_000)])
  expect(
    later.map(({ deferrals, throttles, noResponses, attempts }) => [deferrals, throttles, noResponses, attempts]),
  ).toEqual([
    [2, 4, 0, 0],
    [1, 5, 0, 0],
    [1, 4, 1, 0],
    [1, 4, 0, 2],
  ])
})
