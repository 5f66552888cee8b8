import { startInterval } from '@probity/concurrency/scheduling'
import { LATENCY_BUCKETS_MS } from '@probity/contract/constants/operators'
import type { Db } from '@probity/database/connection/connect'
import { recordUnclassifiedReplies } from '@probity/database/operators/unclassified-replies'
import { type ProbeCounts, recordProbes } from '@probity/database/validations/probing'
import type { UnclassifiedReply } from '@probity/engine/smtp/probe/request'
import type { Finding, ProbeResult } from '@probity/engine/smtp/probe/result'
import type { Reason } from '@probity/engine/smtp/replies/rules'
import type { Logger } from 'pino'
import type { Meters } from '../server/metrics.ts'

/** Counts probe outcomes and writes the counts to the database periodically, for the operator pages. */
export type ProbeLog = {
  note(place: { provider: string; egress: string }, answer: ProbeResult): void
  stop(): Promise<void>
}

const WRITE_EVERY_MS = 5_000
const BLOCK_LENGTH_MAX = 300

/** Also the values of the label `outcome` of probity_probes_total. */
type Outcome = 'conclusive' | 'deferred' | 'blocked' | 'no_response' | 'throttled' | 'other'

export function openProbeLog({ db, log, meters }: { db: Db; log: Logger; meters: Meters }): ProbeLog {
  let counts = new Map<string, ProbeCounts>()

  async function write(): Promise<void> {
    if (counts.size === 0) return
    const written = [...counts.values()]
    counts = new Map()
    try {
      await recordProbes(db, written)
    } catch (error) {
      log.warn({ err: error, places: written.length }, 'failed to save probe counts')
    }
  }

  const reports = startInterval(WRITE_EVERY_MS, write, {
    delayFirst: true,
    runOnStop: true,
    unref: true,
  })
  return {
    note({ provider, egress }, answer) {
      const outcome = outcomeOf(answer.finding)
      if (outcome === undefined) return
      const wasAnswered = outcome !== 'throttled' && outcome !== 'no_response'
      meters.probed({ provider, egress }, outcome, wasAnswered ? answer.ms : undefined)
      const key = JSON.stringify([provider, egress])
      const entry = counts.get(key) ?? newCounts(provider, egress)
      counts.set(key, entry)
      count(entry, outcome, answer)
    },
    stop: reports.stop,
  }
}

function newCounts(provider: string, egress: string): ProbeCounts {
  const none = { probes: 0, conclusive: 0, deferred: 0, blocked: 0, noResponse: 0, throttled: 0 }
  return { provider, egress, ...none, ms: [...LATENCY_BUCKETS_MS, 0].map(() => 0), lastBlock: null }
}

function count(entry: ProbeCounts, outcome: Outcome, { ms, transcript }: ProbeResult): void {
  if (outcome !== 'other') entry[COUNTS[outcome]] += 1
  if (outcome === 'throttled') return // no probe was sent
  entry.probes += 1
  if (outcome !== 'no_response') {
    const step = LATENCY_BUCKETS_MS.findIndex((upTo) => ms <= upTo)
    const place = step === -1 ? LATENCY_BUCKETS_MS.length : step
    entry.ms[place] = (entry.ms[place] ?? 0) + 1
  }
  const last = transcript.at(-1)
  if (outcome === 'blocked' && last) entry.lastBlock = `${last.code} ${last.text}`.slice(0, BLOCK_LENGTH_MAX)
}

/** The count that an outcome adds to. */
const COUNTS = {
  conclusive: 'conclusive',
  deferred: 'deferred',
  blocked: 'blocked',
  no_response: 'noResponse',
  throttled: 'throttled',
} as const satisfies Record<Exclude<Outcome, 'other'>, keyof ProbeCounts>

/** Outcome by reason of a rejection: whether it concerns the mailbox, a temporary condition or our egress. */
const OUTCOMES: Record<Reason, Outcome> = {
  mailbox_not_found: 'conclusive',
  mailbox_disabled: 'conclusive',
  mailbox_full: 'conclusive',
  mailbox_moved: 'conclusive',
  mailbox_busy: 'conclusive',
  domain_not_hosted: 'conclusive',
  greylisted: 'deferred',
  verification_pending: 'deferred',
  rate_limited: 'deferred',
  too_many_recipients: 'deferred',
  too_many_errors: 'deferred',
  server_error: 'deferred',
  ip_blocked: 'blocked',
  ptr_required: 'blocked',
  sender_rejected: 'blocked',
  spf_required: 'blocked',
  geo_blocked: 'blocked',
  tls_required: 'other',
  policy_rejected: 'other',
  smtputf8_unsupported: 'other',
  unclassified: 'other',
}

/** Undefined if no probe was attempted. */
function outcomeOf(finding: Finding): Outcome | undefined {
  switch (finding.kind) {
    case 'accepted':
      return 'conclusive'
    case 'refused':
      return OUTCOMES[finding.reason]
    case 'unverifiable':
      return 'other'
    case 'unanswered':
      return finding.why === 'throttled' ? 'throttled' : 'no_response'
    case 'unasked':
      return undefined
  }
}

/** Counts unclassified replies and writes the counts to the database periodically, for the operator pages. */
export type ReplyLog = { note(reply: UnclassifiedReply): void; stop(): Promise<void> }

const WRITE_REPLIES_EVERY_MS = 10_000
/** Maximum number of different replies between two writes, because a server can generate any number. */
const REPLIES_MAX = 200

export function openReplyLog({ db, log }: { db: Db; log: Logger }): ReplyLog {
  let counts = new Map<string, { reply: UnclassifiedReply; seen: number }>()

  async function write(): Promise<void> {
    if (counts.size === 0) return
    const written = [...counts.values()]
    counts = new Map()
    try {
      await recordUnclassifiedReplies(
        db,
        written.map(({ reply: { provider, stage, code, text }, seen }) => ({
          provider,
          stage,
          code,
          reply: text,
          seen,
        })),
      )
    } catch (error) {
      log.warn({ err: error, replies: written.length }, 'failed to save unclassified replies')
    }
  }

  const reports = startInterval(WRITE_REPLIES_EVERY_MS, write, {
    delayFirst: true,
    runOnStop: true,
    unref: true,
  })
  return {
    note(reply) {
      const key = JSON.stringify(reply)
      const entry = counts.get(key)
      if (entry) entry.seen += 1
      else if (counts.size < REPLIES_MAX) counts.set(key, { reply, seen: 1 })
    },
    stop: reports.stop,
  }
}
