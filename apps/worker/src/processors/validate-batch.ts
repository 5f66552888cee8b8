import { setTimeout as sleep } from 'node:timers/promises'
import {
  type BatchRef,
  type ClaimedBatch,
  claimBatch,
  giveBackBatch,
  restOf,
  type Settling,
  settleBatch,
} from '@probity/database/batches'
import { inSpan, type Span } from '@probity/telemetry/span'
import type { Services } from '../services.ts'
import { throughOutage } from '../through-outage.ts'
import { type Outcome, sortOut } from './sort-out.ts'
import { validateRow } from './validate-row.ts'

/** How long we try to keep what was found out when PostgreSQL is away. */
const SETTLE_WITHIN_MS = 60_000

/** What is done by then is settled; the slowest go on by themselves, and others take the slot. */
const WAIT_FOR_ALL_MS = 5_000
/** Addresses that may go on beside the slots. When there are more, their batches keep the slots. */
const STRAGGLERS_MAX = 2_000

type Needed = Pick<Services, 'db' | 'network' | 'histories' | 'mailboxes' | 'meters' | 'traces' | 'workerId' | 'log'>

export type BatchDesk = {
  /** Works one batch: asks the engine, keeps what came out, moves what needs time to a later batch. May run twice for the same one. */
  validate(ref: BatchRef): Promise<void>
  /** Waits for the addresses that go on by themselves. */
  finish(): Promise<void>
}

export function openBatchDesk(services: Needed): BatchDesk {
  const straggling = new Set<Promise<void>>()
  let stragglers = 0

  function goOnAlone(rest: Work): void {
    stragglers += rest.batch.emails.length
    const done = guarded(services, rest.batch, () => settleWhole(services, rest)).finally(() => {
      straggling.delete(done)
      stragglers -= rest.batch.emails.length
    })
    straggling.add(done)
  }

  async function work(ref: BatchRef): Promise<void> {
    const batch = await claimBatch(services.db, services.workerId, ref)
    if (batch === undefined) return // another worker has it, or it is done: this task is an echo
    const span = services.traces.begin('batch', { kind: 'consumer', attributes: { addresses: batch.emails.length } })
    await workClaimed(batch, span).finally(() => span.end())
  }

  async function workClaimed(batch: ClaimedBatch, span: Span): Promise<void> {
    const whole = { batch, outcomes: batch.emails.map((email) => ask(services, batch, email)) }
    const all = Promise.all(whole.outcomes.map(({ done }) => done))
    await inSpan(span, 'validate', () => within(WAIT_FOR_ALL_MS, all))
    const slow = whole.outcomes.filter(({ outcome }) => outcome === undefined).length
    if (slow === 0 || slow === batch.emails.length || slow + stragglers > STRAGGLERS_MAX) {
      return inSpan(span, 'settle', () => settleWhole(services, whole))
    }
    const rest = await inSpan(span, 'settle', () => settlePart(services, whole))
    if (rest) goOnAlone(rest)
  }

  return {
    validate: (ref) => guarded(services, ref, () => work(ref)),
    finish: async () => void (await Promise.all(straggling)),
  }
}

/** A batch, and each of its addresses with its outcome as soon as it is there. */
type Work = { batch: ClaimedBatch; outcomes: Asked[] }
type Asked = { outcome: Outcome | undefined; done: Promise<Outcome> }

function ask(services: Needed, batch: ClaimedBatch, email: string): Asked {
  const asked: Asked = { outcome: undefined, done: validateRow(services, batch, email) }
  void asked.done.then((outcome) => {
    asked.outcome = outcome
  })
  return asked
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const timer = new AbortController()
  await Promise.race([work, sleep(ms, undefined, { signal: timer.signal })]).finally(() => timer.abort())
}

async function settleWhole(services: Needed, { batch, outcomes }: Work): Promise<void> {
  const settling = sortOut(batch, await Promise.all(outcomes.map(({ done }) => done)))
  await settleOnce(services, batch, settling)
}

/** Settles what is done. What is not goes on as a batch of its own, which is ours from the start; undefined if none of it is ours. */
async function settlePart(services: Needed, { batch, outcomes }: Work): Promise<Work | undefined> {
  const rows = batch.emails.map((email, n) => ({ email, rowNo: batch.rowNos[n] ?? 0, asked: outcomes[n] as Asked }))
  const { done = [], slow = [] } = Object.groupBy(rows, ({ asked }) => (asked.outcome ? 'done' : 'slow'))
  const listOf = (some: typeof rows) => ({ rowNos: some.map((row) => row.rowNo), emails: some.map((row) => row.email) })
  const rest = restOf(batch, listOf(slow))
  const ended = done.flatMap(({ asked }) => asked.outcome ?? [])
  const isOurs = await settleOnce(services, batch, { ...sortOut({ ...batch, ...listOf(done) }, ended), rest })
  if (isOurs) return { batch: rest, outcomes: slow.map(({ asked }) => asked) }
  // Or it was kept at the first try and PostgreSQL went away before it could say so: then the rest is ours, and nobody else knows.
  await giveBack(services, rest)
  return undefined
}

async function settleOnce(services: Needed, batch: ClaimedBatch, settling: Settling): Promise<boolean> {
  const { db, log } = services
  const outcome = await throughOutage(log, SETTLE_WITHIN_MS, () => settleBatch(db, batch, settling))
  if (outcome === 'settled') return true
  log.info({ jobId: batch.jobId, batch: batch.no }, 'the results of a batch were not wanted')
  await giveBack(services, batch)
  return false
}

function giveBack({ db, workerId, log }: Needed, ref: BatchRef): Promise<void> {
  return throughOutage(log, SETTLE_WITHIN_MS, () => giveBackBatch(db, workerId, ref))
}

/** Whatever goes wrong, the batch is not ours for longer than we work on it. */
async function guarded(services: Needed, ref: BatchRef, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    services.log.warn({ err: error, jobId: ref.jobId, batch: ref.no }, 'a batch is given back')
    // It may be ours without our knowing, when PostgreSQL went away in the middle of its answer.
    await giveBack(services, ref)
  }
}
