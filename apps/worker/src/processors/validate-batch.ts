import { setTimeout as sleep } from 'node:timers/promises'
import { type BatchRef, type ClaimedBatch, giveBackBatch } from '@probity/database/batches'
import { restOf, type Settling } from '@probity/database/settle-batches'
import type { DomainDesk, LookUp } from '@probity/engine/domain/facts'
import { inSpan, type Span } from '@probity/telemetry/span'
import type { Services } from '../services.ts'
import { throughOutage } from '../through-outage.ts'
import { type BatchGroups, openBatchGroups } from './batch-groups.ts'
import { type Outcome, sortOut } from './sort-out.ts'
import { validateRow } from './validate-row.ts'

/** How long we try to keep what was found out when PostgreSQL is away. */
const SETTLE_WITHIN_MS = 60_000

/** What is done by then is settled; the slowest go on by themselves, and others take the slot. */
const WAIT_FOR_ALL_MS = 5_000
/** Addresses that may go on beside the slots. When there are more, their batches keep the slots. */
const STRAGGLERS_MAX = 2_000

type Opened = Pick<
  Services,
  'db' | 'network' | 'histories' | 'mailboxes' | 'reusable' | 'meters' | 'traces' | 'workerId' | 'log'
>
type Needed = Opened & { groups: BatchGroups }

export type BatchDesk = {
  /** Works one batch: asks the engine, keeps what came out, moves what needs time to a later batch. May run twice for the same one. */
  validate(ref: BatchRef): Promise<void>
  /** Waits for the addresses that go on by themselves. */
  finish(): Promise<void>
}

export function openBatchDesk(opened: Opened): BatchDesk {
  const services = { ...opened, groups: openBatchGroups(opened) }
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
    const batch = await services.groups.claim(ref)
    if (batch === undefined) return // the task is outdated: another worker claimed the batch, or it is settled
    const span = services.traces.begin('batch', { kind: 'consumer', attributes: { addresses: batch.emails.length } })
    await workClaimed(batch, span).finally(() => span.end())
  }

  async function workClaimed(batch: ClaimedBatch, span: Span): Promise<void> {
    const whole = validateRows(services, batch)
    await inSpan(span, 'validate', () => within(WAIT_FOR_ALL_MS, whole.done))
    const slow = whole.outcomes().filter((outcome) => outcome === undefined).length
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

/** A batch in progress. `outcomes` are in the order of its addresses, undefined for those that are not done; `done` resolves when all are. */
type Work = { batch: ClaimedBatch; outcomes(): (Outcome | undefined)[]; done: Promise<unknown> }

/** Validates all addresses of a batch at once, except those with an earlier result that the job may use. */
function validateRows(services: Needed, batch: ClaimedBatch): Work {
  const outcomes = batch.emails.map((): Outcome | undefined => undefined)
  const ofBatch = { ...services, network: { ...services.network, domains: onceEach(services.network.domains) } }
  const done = services.reusable.find(batch).then((earlier) =>
    Promise.all(
      batch.emails.map(async (email, n) => {
        const result = earlier[n]
        outcomes[n] = result ? { kind: 'final', result } : await validateRow(ofBatch, batch, email)
      }),
    ),
  )
  return { batch, outcomes: () => outcomes, done }
}

/** Looks each domain up once: addresses of a batch are mostly at the same few. */
function onceEach(domains: DomainDesk): DomainDesk {
  const found = new Map<string, Promise<LookUp>>()
  return {
    lookUp(domain) {
      const known = found.get(domain) ?? domains.lookUp(domain)
      found.set(domain, known)
      return known
    },
  }
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const timer = new AbortController()
  await Promise.race([work, sleep(ms, undefined, { signal: timer.signal })]).finally(() => timer.abort())
}

async function settleWhole(services: Needed, { batch, outcomes, done }: Work): Promise<void> {
  await done
  await settleOnce(services, batch, sortOut(batch, outcomes() as Outcome[]))
}

/** Settles what is done. The rest continues as a batch of its own, claimed from the start; undefined if nothing was settled. */
async function settlePart(services: Needed, { batch, outcomes, done }: Work): Promise<Work | undefined> {
  const all = outcomes()
  const isDone = all.map((outcome) => outcome !== undefined)
  const pick = <T>(some: T[], wanted: boolean) => some.filter((_, n) => isDone[n] === wanted)
  const listOf = (wanted: boolean) => ({ rowNos: pick(batch.rowNos, wanted), emails: pick(batch.emails, wanted) })
  const rest = restOf(batch, listOf(false))
  const ended = { ...batch, ...listOf(true) }
  const isOurs = await settleOnce(services, batch, { ...sortOut(ended, pick(all, true) as Outcome[]), rest })
  if (isOurs) return { batch: rest, outcomes: () => pick(all, false), done }
  // Perhaps the first attempt was committed and PostgreSQL failed before it could say so. Then only this worker knows of the rest.
  await giveBack(services, rest)
  return undefined
}

async function settleOnce(services: Needed, batch: ClaimedBatch, settling: Settling): Promise<boolean> {
  const { groups, log } = services
  const outcome = await throughOutage(log, SETTLE_WITHIN_MS, () => groups.settle(batch, settling))
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
