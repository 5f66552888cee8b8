import { setTimeout as sleep } from 'node:timers/promises'
import { type BatchRef, type ClaimedBatch, releaseBatch } from '@probity/database/jobs/batches'
import { type BatchSettlement, restOf } from '@probity/database/jobs/settle-batches'
import type { DomainLookup, DomainLookupResult } from '@probity/engine/domain/facts'
import { inSpan, type Span } from '@probity/telemetry/span'
import { retryOnOutage } from '../server/retry-on-outage.ts'
import type { Services } from '../server/services.ts'
import { type BatchGroups, openBatchGroups } from './batch-groups.ts'
import { type Outcome, partitionOutcomes } from './partition-outcomes.ts'
import { validateRow } from './validate-row.ts'

/** How long saving results is retried while PostgreSQL is down. */
const SETTLE_WITHIN_MS = 60_000

/** Results available by then are settled; slow addresses continue without a slot. */
const WAIT_FOR_ALL_MS = 5_000
/** Maximum number of addresses that continue without a slot. Beyond that their batches keep their slots. */
const UNSLOTTED_MAX = 2_000

type Opened = Pick<
  Services,
  'db' | 'network' | 'feedbackHistory' | 'probers' | 'reusable' | 'meters' | 'traces' | 'workerId' | 'log'
>
type Needed = Opened & { groups: BatchGroups }

export type BatchProcessor = {
  /** Processes one batch: validates, saves results and moves deferred addresses to a later batch. May run twice. */
  validate(ref: BatchRef): Promise<void>
  /** Waits for the addresses that continue without a slot. */
  finish(): Promise<void>
}

export function openBatchProcessor(opened: Opened): BatchProcessor {
  const services = { ...opened, groups: openBatchGroups(opened) }
  const unslotted = new Set<Promise<void>>()
  let unslottedCount = 0

  function continueWithoutSlot(rest: Work): void {
    unslottedCount += rest.batch.emails.length
    const done = guarded(services, rest.batch, () => settleWhole(services, rest)).finally(() => {
      unslotted.delete(done)
      unslottedCount -= rest.batch.emails.length
    })
    unslotted.add(done)
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
    if (slow === 0 || slow === batch.emails.length || slow + unslottedCount > UNSLOTTED_MAX) {
      return inSpan(span, 'settle', () => settleWhole(services, whole))
    }
    const rest = await inSpan(span, 'settle', () => settlePart(services, whole))
    if (rest) continueWithoutSlot(rest)
  }

  return {
    validate: (ref) => guarded(services, ref, () => work(ref)),
    finish: async () => void (await Promise.all(unslotted)),
  }
}

/** A batch in progress. `outcomes` are in address order, undefined for unfinished ones; `done` resolves when all are finished. */
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

/** Looks up each domain once: most addresses of a batch share a few domains. */
function onceEach(domains: DomainLookup): DomainLookup {
  const found = new Map<string, Promise<DomainLookupResult>>()
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
  await settleOnce(services, batch, partitionOutcomes(batch, outcomes() as Outcome[]))
}

/** Settles finished outcomes. The rest continues as a batch of its own, claimed from the start; undefined if nothing was settled. */
async function settlePart(services: Needed, { batch, outcomes, done }: Work): Promise<Work | undefined> {
  const all = outcomes()
  const isDone = all.map((outcome) => outcome !== undefined)
  const pick = <T>(some: T[], wanted: boolean) => some.filter((_, n) => isDone[n] === wanted)
  const listOf = (wanted: boolean) => ({ rowNos: pick(batch.rowNos, wanted), emails: pick(batch.emails, wanted) })
  const rest = restOf(batch, listOf(false))
  const ended = { ...batch, ...listOf(true) }
  const isOurs = await settleOnce(services, batch, { ...partitionOutcomes(ended, pick(all, true) as Outcome[]), rest })
  if (isOurs) return { batch: rest, outcomes: () => pick(all, false), done }
  // The first attempt may have been committed although its response was lost. Only this worker then knows the rest.
  await releaseClaim(services, rest)
  return undefined
}

async function settleOnce(services: Needed, batch: ClaimedBatch, settlement: BatchSettlement): Promise<boolean> {
  const { groups, log } = services
  const outcome = await retryOnOutage(log, SETTLE_WITHIN_MS, () => groups.settle(batch, settlement))
  if (outcome === 'settled') return true
  log.info({ jobId: batch.jobId, batch: batch.no }, 'batch results discarded: stale epoch')
  await releaseClaim(services, batch)
  return false
}

function releaseClaim({ db, workerId, log }: Needed, ref: BatchRef): Promise<void> {
  return retryOnOutage(log, SETTLE_WITHIN_MS, () => releaseBatch(db, workerId, ref))
}

/** Runs the work and releases the claim on the batch after any error. */
async function guarded(services: Needed, ref: BatchRef, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    services.log.warn({ err: error, jobId: ref.jobId, batch: ref.no }, 'batch failed; released')
    // The claim may exist although its response was lost in an outage.
    await releaseClaim(services, ref)
  }
}
