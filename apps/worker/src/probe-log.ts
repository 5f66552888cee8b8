import { LATENCY_STEPS_MS } from '@probity/contract/data/latency-steps'
import type { Db } from '@probity/database/connect'
import { noteProbes, type ProbeCounts } from '@probity/database/probes'
import { reportEvery } from '@probity/database/report'
import type { Finding, MailboxAnswer } from '@probity/engine/mailbox/answer'
import type { Reason } from '@probity/engine/mailbox/reply'
import type { Logger } from 'pino'
import type { Meters } from './meters.ts'

/** Counts what comes of asking mail servers and brings the counts to the database now and then, for the operator. */
export type ProbeLog = {
  note(place: { provider: string; egress: string }, answer: MailboxAnswer): void
  stop(): Promise<void>
}

const WRITE_EVERY_MS = 5_000
const BLOCK_LENGTH_MAX = 300

type Outcome = 'definite' | 'deferred' | 'blocked' | 'silent' | 'held' | 'other'

export function openProbeLog({ db, log, meters }: { db: Db; log: Logger; meters: Meters }): ProbeLog {
  let counts = new Map<string, ProbeCounts>()

  async function write(): Promise<void> {
    if (counts.size === 0) return
    const written = [...counts.values()]
    counts = new Map()
    try {
      await noteProbes(db, written)
    } catch (error) {
      log.warn({ err: error, places: written.length }, 'could not keep what came of asking mail servers')
    }
  }

  const reports = reportEvery(WRITE_EVERY_MS, write)
  return {
    note({ provider, egress }, answer) {
      const outcome = outcomeOf(answer.finding)
      if (outcome === undefined) return
      const wasAnswered = outcome !== 'held' && outcome !== 'silent'
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
  return { provider, egress, ...none, ms: [...LATENCY_STEPS_MS, 0].map(() => 0), lastBlock: null }
}

function count(entry: ProbeCounts, outcome: Outcome, { ms, dialogue }: MailboxAnswer): void {
  if (outcome !== 'other') entry[COUNTS[outcome]] += 1
  if (outcome === 'held') return // nobody was asked
  entry.probes += 1
  if (outcome !== 'silent') {
    const step = LATENCY_STEPS_MS.findIndex((upTo) => ms <= upTo)
    const place = step === -1 ? LATENCY_STEPS_MS.length : step
    entry.ms[place] = (entry.ms[place] ?? 0) + 1
  }
  const last = dialogue.at(-1)
  if (outcome === 'blocked' && last) entry.lastBlock = `${last.code} ${last.text}`.slice(0, BLOCK_LENGTH_MAX)
}

/** The count that an outcome adds to. */
const COUNTS = {
  definite: 'conclusive',
  deferred: 'deferred',
  blocked: 'blocked',
  silent: 'noResponse',
  held: 'throttled',
} as const satisfies Record<Exclude<Outcome, 'other'>, keyof ProbeCounts>

/** What an operator makes of a refusal: whether it is about the mailbox, about the moment or about us. */
const OUTCOMES: Record<Reason, Outcome> = {
  mailbox_not_found: 'definite',
  mailbox_disabled: 'definite',
  mailbox_full: 'definite',
  mailbox_moved: 'definite',
  mailbox_busy: 'definite',
  domain_not_hosted: 'definite',
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

/** Undefined where there was no point in asking. */
function outcomeOf(finding: Finding): Outcome | undefined {
  switch (finding.kind) {
    case 'accepted':
      return 'definite'
    case 'refused':
      return OUTCOMES[finding.reason]
    case 'unverifiable':
      return 'other'
    case 'unanswered':
      return finding.why === 'throttled' ? 'held' : 'silent'
    case 'unasked':
      return undefined
  }
}
