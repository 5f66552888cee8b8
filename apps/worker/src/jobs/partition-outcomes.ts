import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import type { ClaimedBatch } from '@probity/database/jobs/batches'
import type { BatchSettlement, LaterRows } from '@probity/database/jobs/settle-batches'

/** Outcome of one address: its result, or the reason for a retry. */
export type Outcome = { kind: 'final'; result: StoredResult } | Delay

/** `again`: deferred by the mail server; `hold`: throttled by our rate limiter; `silence`: no response; `failed`: our own error. */
type Delay = {
  kind: 'again' | 'hold' | 'silence' | 'failed'
  waitMs: number
  waitReason: string
  egress: string | null
}

type Late = { delay: Delay; rowNo: number; email: string }

/** Short waits are rounded to seconds and long ones to half minutes, so that addresses with similar waits share a batch. */
const SHORT_MS = 30_000
const SHORT_STEP_MS = 2_000
const LONG_STEP_MS = 30_000

/** Separates final outcomes from deferred ones, and groups those that can wait together. The outcomes are in row order. */
export function partitionOutcomes(
  batch: Pick<ClaimedBatch, 'rowNos' | 'emails' | 'deferrals' | 'throttles' | 'noResponses' | 'attempts'>,
  outcomes: Outcome[],
): BatchSettlement {
  const final: BatchSettlement['final'] = []
  const late: Late[] = []
  for (const [n, outcome] of outcomes.entries()) {
    const [rowNo = 0, email = ''] = [batch.rowNos[n], batch.emails[n]]
    if (outcome.kind === 'final') {
      final.push({ rowNo, email, result: outcome.result })
    } else {
      late.push({ delay: outcome, rowNo, email })
    }
  }
  const together = Map.groupBy(late, ({ delay }) =>
    JSON.stringify([delay.kind, delay.waitReason, delay.egress, stepOf(delay.waitMs)]),
  )
  return { final, later: [...together.values()].map((rows) => asBatch(batch, rows)) }
}

function stepOf(waitMs: number): number {
  const stepMs = waitMs <= SHORT_MS ? SHORT_STEP_MS : LONG_STEP_MS
  return Math.ceil(waitMs / stepMs) * stepMs
}

function asBatch(
  batch: Pick<ClaimedBatch, 'deferrals' | 'throttles' | 'noResponses' | 'attempts'>,
  rows: Late[],
): LaterRows {
  const delays = rows.map(({ delay }) => delay)
  const { kind, waitReason = null, egress = null } = delays[0] ?? {}
  return {
    rowNos: rows.map(({ rowNo }) => rowNo),
    emails: rows.map(({ email }) => email),
    deferrals: batch.deferrals + (kind === 'again' ? 1 : 0),
    throttles: batch.throttles + (kind === 'hold' ? 1 : 0),
    noResponses: batch.noResponses + (kind === 'silence' ? 1 : 0),
    attempts: kind === 'failed' ? batch.attempts : 0,
    egress,
    waitReason,
    waitMs: Math.max(...delays.map(({ waitMs }) => waitMs)),
  }
}
