import type { DeliveryOutcome } from '@probity/database/webhook-work'
import { PROVIDERS } from '@probity/engine/domain/data/providers'
import type { Hold } from '@probity/engine/mailbox/pace'
import type { HeardReply } from '@probity/engine/mailbox/question'
import type { Validation } from '@probity/engine/verdict/validation'
import { Counter, Histogram, type Registry } from 'prom-client'

/** Who wants to know: somebody who waits for the answer, or a list. */
export type Asker = 'caller' | 'list'

type Judged = { asker: Asker; provider: string; status: string; subStatus: string; isFinal: boolean; ms: number }
type Place = { provider: string; egress: string }

/**
 * What a worker counts for whoever runs the installation. Names of providers come from our own table and everybody else is `other`: labels must not
 * grow with what customers ask about, nor tell of it.
 */
export type Meters = {
  judged(judged: Judged): void
  lookedUp(outcome: string, source: string): void
  probed(place: Place, outcome: string, ms: number | undefined): void
  heard(reply: HeardReply): void
  connected(place: Place): void
  held(place: Place, why: Hold['why']): void
  suspended(place: Place, reason: string): void
  delivered(outcome: DeliveryOutcome['kind']): void
  audited(faults: number): void
  /** An address was not probed because its domain opted out. */
  optedOut(): void
  /** A DNS query was not sent because its zone had received all queries of the minute. */
  zoneOverBudget(): void
  /** So many jobs were paused for review after their samples. */
  reviewed(jobs: number): void
}

const KNOWN = new Set(PROVIDERS.map(({ id }) => id))

/** A site of a provider that we know goes by its id, and any other by the names of its hosts. */
export function providerLabel(provider: string): string {
  return KNOWN.has(provider) ? provider : 'other'
}

/** What is counted of a validation: nothing of whose it is. */
export function summarise({ verdict, facts }: Validation): Pick<Judged, 'provider' | 'status' | 'subStatus'> {
  return { provider: facts?.provider ?? '', status: verdict.status, subStatus: verdict.subStatus }
}

/** As operators see it on their pages: from an answer at once to one that was waited for on purpose. */
const PROBE_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25]
const VALIDATION_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 40]

/** RFC 3463 §2: a class and a subject. What a server makes up beyond them is no label of ours. */
const ENHANCED = /^([245]\.[0-7])\./

export function openMeters(registry: Registry): Meters {
  const counters = openCounters(registry)
  const { validation, probe } = openHistograms(registry)
  // A counter that begins above zero has not risen, for Prometheus.
  for (const outcome of OUTCOMES) counters.deliveries.inc({ outcome }, 0)
  const placed = ({ provider, egress }: Place) => ({ provider: providerLabel(provider), egress })
  return {
    judged({ asker, provider, status, subStatus, isFinal, ms }) {
      const of = { asker, provider: providerLabel(provider) }
      if (isFinal) counters.verdicts.inc({ ...of, status, sub_status: subStatus })
      else counters.putOff.inc({ ...of, sub_status: subStatus })
      validation.observe({ asker }, ms / 1_000)
    },
    lookedUp: (outcome, source) => counters.lookUps.inc({ outcome, source }),
    probed(place, outcome, ms) {
      counters.probes.inc({ ...placed(place), outcome })
      if (ms !== undefined) probe.observe({ provider: providerLabel(place.provider) }, ms / 1_000)
    },
    heard({ provider, stage, code, enhanced }) {
      const kind = { class: `${Math.floor(code / 100)}xx`, enhanced: ENHANCED.exec(enhanced ?? '')?.[1] ?? '' }
      counters.replies.inc({ provider: providerLabel(provider), stage, ...kind })
    },
    connected: (place) => counters.connections.inc(placed(place)),
    held: (place, why) => counters.held.inc({ ...placed(place), why }),
    suspended: (place, reason) => counters.suspensions.inc({ ...placed(place), reason }),
    delivered: (outcome) => counters.deliveries.inc({ outcome }),
    audited(faults) {
      counters.rounds.inc()
      counters.faults.inc(faults)
    },
    optedOut: () => counters.optedOut.inc(),
    zoneOverBudget: () => counters.overBudget.inc(),
    reviewed: (jobs) => counters.reviews.inc(jobs),
  }
}

const VERDICTS = {
  name: 'probity_verdicts_total',
  help: 'Addresses that were judged for good, by who runs their mail hosts and what came out.',
  labelNames: ['asker', 'provider', 'status', 'sub_status'],
}
const PUT_OFF = {
  name: 'probity_put_off_total',
  help: 'Addresses that will be asked about again, and why.',
  labelNames: ['asker', 'provider', 'sub_status'],
}
const LOOK_UPS = {
  name: 'probity_domain_lookups_total',
  help: 'Domains that were looked up, by what DNS said of their mail, and whether it was asked now or known from before.',
  labelNames: ['outcome', 'source'],
}
const PROBES = {
  name: 'probity_probes_total',
  help: 'What came of asking mail servers about an address, by who runs them and from where.',
  labelNames: ['provider', 'egress', 'outcome'],
}
const REPLIES = {
  name: 'probity_smtp_replies_total',
  help: 'Replies of mail servers to recipients, and those with which they turned us away, by class and enhanced class.',
  labelNames: ['provider', 'stage', 'class', 'enhanced'],
}
const CONNECTIONS = {
  name: 'probity_smtp_connections_total',
  help: 'Connections to mail servers that our pace gave leave for.',
  labelNames: ['provider', 'egress'],
}
const HELD = {
  name: 'probity_smtp_connections_held_total',
  help: 'How often our pace gave no leave for a connection, and why. Who waits asks again.',
  labelNames: ['provider', 'egress', 'why'],
}
const SUSPENSIONS = {
  name: 'probity_suspensions_total',
  help: 'How often mail servers turned us away for a while, and for what.',
  labelNames: ['provider', 'egress', 'reason'],
}
const DELIVERIES = {
  name: 'probity_webhook_deliveries_total',
  help: 'Tries to send an event to a webhook: delivered, to be tried again, given up, or gone for good.',
  labelNames: ['outcome'],
}
const OUTCOMES: DeliveryOutcome['kind'][] = ['delivered', 'again', 'given_up', 'gone']
const ROUNDS = { name: 'probity_audit_rounds_total', help: 'How often this process went over the books.' }
const FAULTS = {
  name: 'probity_audit_faults_total',
  help: 'Places where the books did not add up when this process went over them.',
}

const OPTED_OUT = {
  name: 'probity_opted_out_total',
  help: 'Addresses that were not probed because the owner of their domain opted out.',
}
const OVER_BUDGET = {
  name: 'probity_dns_over_budget_total',
  help: 'DNS queries that were not sent because their zone had received all queries of the minute.',
}
const REVIEWS = {
  name: 'probity_reviews_total',
  help: 'Jobs that were paused for review because most addresses of their sample were invalid.',
}

function openCounters(registry: Registry) {
  const open = (described: { name: string; help: string; labelNames?: string[] }) =>
    new Counter({ ...described, registers: [registry] })
  return {
    verdicts: open(VERDICTS),
    putOff: open(PUT_OFF),
    lookUps: open(LOOK_UPS),
    probes: open(PROBES),
    replies: open(REPLIES),
    connections: open(CONNECTIONS),
    held: open(HELD),
    suspensions: open(SUSPENSIONS),
    deliveries: open(DELIVERIES),
    rounds: open(ROUNDS),
    faults: open(FAULTS),
    optedOut: open(OPTED_OUT),
    overBudget: open(OVER_BUDGET),
    reviews: open(REVIEWS),
  }
}

function openHistograms(registry: Registry) {
  const registers = [registry]
  const validation = new Histogram({
    name: 'probity_validation_duration_seconds',
    help: 'How long judging an address took, without the time that it waited for a worker.',
    labelNames: ['asker'] as const,
    buckets: VALIDATION_SECONDS,
    registers,
  })
  const probe = new Histogram({
    name: 'probity_probe_duration_seconds',
    help: 'How long mail servers took to answer; silence is not in it.',
    labelNames: ['provider'] as const,
    buckets: PROBE_SECONDS,
    registers,
  })
  return { validation, probe }
}
