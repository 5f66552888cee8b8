import type { DeliveryOutcome } from '@probity/database/webhooks/events'
import { PROVIDERS } from '@probity/engine/domain/data/providers'
import type { Throttle } from '@probity/engine/smtp/connections/rate-limiter'
import type { ReplyObservation } from '@probity/engine/smtp/probe/request'
import type { Validation } from '@probity/engine/verdict/validation'
import { Counter, Histogram, type Registry } from 'prom-client'

/** The origin of a validation: a request whose client waits, or a job. */
export type ValidationSource = 'caller' | 'list'

type Judged = {
  asker: ValidationSource
  provider: string
  status: string
  subStatus: string
  isFinal: boolean
  ms: number
}
type Place = { provider: string; egress: string }

/**
 * Counters of a worker. Provider names come from the provider table and all others are `other`: the number of series must not grow with the
 * validated domains, and labels must not reveal them.
 */
export type Meters = {
  judged(judged: Judged): void
  lookedUp(outcome: string, source: string): void
  probed(place: Place, outcome: string, ms: number | undefined): void
  heard(reply: ReplyObservation): void
  connected(place: Place): void
  throttled(place: Place, reason: Throttle['why']): void
  suspended(place: Place, reason: string): void
  delivered(outcome: DeliveryOutcome['kind']): void
  /** An address was not probed because its domain opted out. */
  optedOut(): void
  /** A DNS query was not sent because the query limit of its zone was reached. */
  zoneOverBudget(): void
  /** This many jobs were paused for review after their samples. */
  reviewed(jobs: number): void
}

const KNOWN = new Set(PROVIDERS.map(({ id }) => id))

/** Known providers are labeled by id. Other sites are named after their hosts, which must not become labels. */
export function providerLabel(provider: string): string {
  return KNOWN.has(provider) ? provider : 'other'
}

/** The counted properties of a validation, without its account or address. */
export function summarise({ verdict, facts }: Validation): Pick<Judged, 'provider' | 'status' | 'subStatus'> {
  return { provider: facts?.provider ?? '', status: verdict.status, subStatus: verdict.subStatus }
}

/** The latency range of the operator pages: from immediate replies to tarpits. */
const PROBE_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25]
const VALIDATION_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 40]

/** RFC 3463 §2: class and subject. Other values that servers send do not become labels. */
const ENHANCED = /^([245]\.[0-7])\./

export function openMeters(registry: Registry): Meters {
  const counters = openCounters(registry)
  const { validation, probe } = openHistograms(registry)
  // Prometheus sees no increase if the first sample of a counter is above zero.
  for (const outcome of Object.values(DELIVERY_OUTCOMES)) counters.deliveries.inc({ outcome }, 0)
  const placed = ({ provider, egress }: Place) => ({ provider: providerLabel(provider), egress })
  return {
    judged({ asker, provider, status, subStatus, isFinal, ms }) {
      const source = SOURCES[asker]
      const of = { source, provider: providerLabel(provider) }
      if (isFinal) counters.verdicts.inc({ ...of, status, sub_status: subStatus })
      else counters.deferred.inc({ ...of, sub_status: subStatus })
      validation.observe({ source }, ms / 1_000)
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
    throttled: (place, reason) => counters.throttled.inc({ ...placed(place), reason }),
    suspended: (place, reason) => counters.suspensions.inc({ ...placed(place), reason }),
    delivered: (outcome) => counters.deliveries.inc({ outcome: DELIVERY_OUTCOMES[outcome] }),
    optedOut: () => counters.optedOut.inc(),
    zoneOverBudget: () => counters.overBudget.inc(),
    reviewed: (jobs) => counters.reviews.inc(jobs),
  }
}

/** Values of the label `source`. */
const SOURCES = { caller: 'interactive', list: 'job' } as const satisfies Record<ValidationSource, string>

const VERDICTS = {
  name: 'probity_verdicts_total',
  help: 'Final verdicts, by source, mailbox provider, status and sub_status.',
  labelNames: ['source', 'provider', 'status', 'sub_status'],
}
const DEFERRED = {
  name: 'probity_validations_deferred_total',
  help: 'Validations with a scheduled retry, by source, mailbox provider and sub_status.',
  labelNames: ['source', 'provider', 'sub_status'],
}
const LOOK_UPS = {
  name: 'probity_domain_lookups_total',
  help: 'Domain lookups, by outcome and by source: live or cache.',
  labelNames: ['outcome', 'source'],
}
const PROBES = {
  name: 'probity_probes_total',
  help: 'SMTP probes, by mailbox provider, egress and outcome.',
  labelNames: ['provider', 'egress', 'outcome'],
}
const REPLIES = {
  name: 'probity_smtp_replies_total',
  help: 'SMTP replies to recipients and replies that block us, by reply class and enhanced status class.',
  labelNames: ['provider', 'stage', 'class', 'enhanced'],
}
const CONNECTIONS = {
  name: 'probity_smtp_connections_total',
  help: 'SMTP connections that the rate limiter allowed.',
  labelNames: ['provider', 'egress'],
}
const THROTTLED = {
  name: 'probity_smtp_connections_throttled_total',
  help: 'SMTP connections denied by the rate limiter, by reason. Denied connections are retried.',
  labelNames: ['provider', 'egress', 'reason'],
}
const SUSPENSIONS = {
  name: 'probity_suspensions_total',
  help: 'Suspensions of a provider on an egress after blocks, by reason.',
  labelNames: ['provider', 'egress', 'reason'],
}
const DELIVERIES = {
  name: 'probity_webhook_deliveries_total',
  help: 'Webhook delivery attempts, by outcome: delivered, retry, exhausted (no attempts left) or gone (410 response).',
  labelNames: ['outcome'],
}
const DELIVERY_OUTCOMES = {
  delivered: 'delivered',
  again: 'retry',
  given_up: 'exhausted',
  gone: 'gone',
} as const satisfies Record<DeliveryOutcome['kind'], string>
const OPTED_OUT = {
  name: 'probity_opted_out_total',
  help: 'Addresses not probed because the owner of the domain opted out.',
}
const OVER_BUDGET = {
  name: 'probity_dns_over_budget_total',
  help: 'DNS queries not sent because the query limit per minute of the zone was reached.',
}
const REVIEWS = {
  name: 'probity_reviews_total',
  help: 'Jobs paused for review because most addresses of their sample were invalid.',
}

function openCounters(registry: Registry) {
  const open = (described: { name: string; help: string; labelNames?: string[] }) =>
    new Counter({ ...described, registers: [registry] })
  return {
    verdicts: open(VERDICTS),
    deferred: open(DEFERRED),
    lookUps: open(LOOK_UPS),
    probes: open(PROBES),
    replies: open(REPLIES),
    connections: open(CONNECTIONS),
    throttled: open(THROTTLED),
    suspensions: open(SUSPENSIONS),
    deliveries: open(DELIVERIES),
    optedOut: open(OPTED_OUT),
    overBudget: open(OVER_BUDGET),
    reviews: open(REVIEWS),
  }
}

function openHistograms(registry: Registry) {
  const registers = [registry]
  const validation = new Histogram({
    name: 'probity_validation_duration_seconds',
    help: 'Validation duration, without time in the queue.',
    labelNames: ['source'] as const,
    buckets: VALIDATION_SECONDS,
    registers,
  })
  const probe = new Histogram({
    name: 'probity_probe_duration_seconds',
    help: 'Probe duration; probes without a response are excluded.',
    labelNames: ['provider'] as const,
    buckets: PROBE_SECONDS,
    registers,
  })
  return { validation, probe }
}
