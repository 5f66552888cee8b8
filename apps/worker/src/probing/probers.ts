import { createHash } from 'node:crypto'
import type { ResolverNames } from '@probity/engine/domain/data/known-domains'
import type { MailDns } from '@probity/engine/domain/resolver'
import type { AddressLimits } from '@probity/engine/smtp/connections/destination-limits'
import { DEFAULT_TIMEOUTS } from '@probity/engine/smtp/connections/open-connection'
import { createProbeCache } from '@probity/engine/smtp/connections/probe-cache'
import { scaleDurations, scaleProviderLimits, type TimeFactor } from '@probity/engine/smtp/connections/time-factor'
import { createMailboxProber, type MailboxProber } from '@probity/engine/smtp/probe/prober'
import type { ProbeResult } from '@probity/engine/smtp/probe/result'
import type { AddressPolicy } from '@probity/engine/smtp/protocol/address-policy'
import type { Egress } from '@probity/engine/smtp/protocol/dial'
import { limitsFor, type ProviderLimits, type ProviderLimitsTable } from '@probity/engine/smtp/providers/limits'
import { createFactsStore } from '@probity/redis/cache'
import { probeCacheKey } from '@probity/redis/keys'
import { createRedisRateLimiter } from '@probity/redis/rate-limiter'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import type { Meters, ValidationSource } from '../server/metrics.ts'
import type { WebhookNetwork } from '../webhooks/post.ts'
import type { EgressCheckSettings, EgressMonitor } from './egress-monitor.ts'
import { type ErrorShares, openErrorShares } from './error-shares.ts'
import { instrumentRateLimiter, publishSuspensions } from './instrumentation.ts'
import { applyOperatorControls, type OperatorControls, PAUSED_MS } from './operator-controls.ts'
import { applyOptOuts, type OptOuts } from './opt-outs.ts'
import type { ProbeLog, ReplyLog } from './probe-log.ts'

/**
 * The addresses that a worker may dial, the provider limits, and how many times faster everything waits and expires. Without `webhooks`
 * none are sent; without `egressChecks` every egress counts as working, and without `resolverNames` every resolver; without
 * `addressLimits` those of its settings apply.
 */
export type ProbingEnvironment = TimeFactor & {
  policy: AddressPolicy
  providerLimits: ProviderLimitsTable
  addressLimits?: AddressLimits
  webhooks?: WebhookNetwork
  egressChecks?: EgressCheckSettings
  resolverNames?: ResolverNames
}

/** The mailbox probers: for each egress, one for clients and one for lists. */
export type Probers = {
  /** The prober for an address: that of the egress it was probed from before, or else always the same one for its domain. */
  proberFor(asker: ValidationSource, email: string, of: Probed): { prober: MailboxProber; egress: string } | undefined
  /** Maximum number of connections of lists to a provider, over all egresses. */
  connectionsMax(provider: string): number
  close(): Promise<void>
}

/** The account that an address is validated for, and the egress that it was probed from before. */
type Probed = { accountId: string; egress: string | null }

type Options = Pick<ProbingEnvironment, 'policy' | 'providerLimits' | 'timeFactor'> & {
  addressLimits: AddressLimits
  egresses: Egress[]
  dns: MailDns
  redis: Redis
  prefix: string
  replies: ReplyLog
  probes: ProbeLog
  controls: OperatorControls
  optOuts: OptOuts
  meters: Meters
  egressMonitor: EgressMonitor
  log: Logger
}

export function openProbers(options: Options): Probers {
  const { egresses, dns, redis, prefix, policy, addressLimits, timeFactor = 1 } = options
  const providerLimits = scaleProviderLimits(options.providerLimits, timeFactor)
  const { replies, probes, controls, optOuts, egressMonitor, meters, log } = options
  const published = publishSuspensions(createRedisRateLimiter({ redis, prefix, log, timeFactor }), {
    redis,
    prefix,
    log,
  })
  const rateLimiter = instrumentRateLimiter(applyOperatorControls(published, controls, providerLimits), meters)
  const probeCache = createProbeCache(
    createFactsStore(redis, (name) => probeCacheKey(prefix, name)),
    { timeFactor },
  )
  const listLimits = reserveForClients(providerLimits)
  const shares = openErrorShares({ redis, prefix, providerLimits, log })
  const perEgress = egresses.map((egress) => {
    const open = (limits: ProviderLimitsTable) => {
      const prober = createMailboxProber({
        dns,
        policy,
        egress,
        providerLimits: limits,
        addressLimits,
        rateLimiter,
        probeCache,
        timeouts: scaleDurations(DEFAULT_TIMEOUTS, timeFactor),
        timeFactor,
        isReachable: () => egressMonitor.isOpen(egress.name),
        recordUnclassified: (reply) => replies.note(reply),
        recordReply: (reply) => meters.heard(reply),
      })
      return observeProber(prober, egress.name, { probes, controls, egressMonitor })
    }
    const [list, separate] = [open(listLimits), open(providerLimits)]
    return { egress: egress.name, list, caller: shareSingleConnections(list, separate, providerLimits), separate }
  })
  return {
    proberFor(asker, email, { accountId, egress }) {
      // If all egresses are drained, each probe is throttled; if all are closed, each probe reports it.
      const reachable = perEgress.filter((entry) => egressMonitor.isOpen(entry.egress))
      const working = reachable.length > 0 ? reachable : perEgress
      const undrained = working.filter((entry) => !controls.isDrained(entry.egress))
      const usable = undrained.length > 0 ? undrained : working
      const same = egress === null ? undefined : usable.find((entry) => entry.egress === egress)
      const chosen = same ?? usable[egressIndexOf(email, usable.length)]
      if (chosen === undefined) return undefined
      const use = { accountId, egress: chosen.egress }
      const prober = withErrorShare(chosen[asker], use, { shares, probes })
      return { prober: applyOptOuts(prober, optOuts, meters), egress: chosen.egress }
    },
    connectionsMax: (provider) => limitsFor(provider, listLimits).connectionsPerEgress * Math.max(1, egresses.length),
    async close() {
      await Promise.all(perEgress.flatMap(({ list, separate }) => [list.close(), separate.close()]))
      await shares.stop()
    },
  }
}

/** Counts probe outcomes, and throttles probes of a provider that an operator paused, also over open connections. */
function observeProber(
  prober: MailboxProber,
  egress: string,
  { probes, controls, egressMonitor }: Pick<Options, 'probes' | 'controls' | 'egressMonitor'>,
): MailboxProber {
  return {
    ...prober,
    async probe(request) {
      const { provider, domain } = request
      const isHeld = controls.isPaused(provider) || controls.isDrained(egress)
      const result = isHeld ? throttledResult() : await prober.probe(request)
      probes.note({ provider, egress }, result)
      egressMonitor.note(domain, result)
      return result
    },
  }
}

/** A prober for one account. It probes a provider while the account has a share of the errors that the provider allows. */
function withErrorShare(
  prober: MailboxProber,
  of: { accountId: string; egress: string },
  { shares, probes }: { shares: ErrorShares; probes: ProbeLog },
): MailboxProber {
  return {
    ...prober,
    async probe(request) {
      const use = { ...of, provider: request.provider }
      if (!(await shares.admit(use, request.deadline))) {
        const result = throttledResult()
        probes.note(use, result)
        return result
      }
      let isRejected = false
      try {
        const result = await prober.probe(request)
        isRejected = result.finding.kind === 'refused' && result.finding.code > 0
        return result
      } finally {
        shares.settle(use, isRejected)
      }
    },
  }
}

function throttledResult(): ProbeResult {
  return {
    finding: { kind: 'unanswered', why: 'throttled' },
    acceptAll: 'untested',
    acceptAllSource: 'live',
    host: null,
    transcript: [],
    at: Date.now() / 1_000,
    ms: 0,
    retry: { afterMs: PAUSED_MS },
  }
}

/** Of the connections to a provider, lists leave one in eight to clients, and at least one if there are several. */
function reserveForClients(providerLimits: ProviderLimitsTable): ProviderLimitsTable {
  const reduce = ({ connectionsPerEgress: all, ...rest }: ProviderLimits) => ({
    ...rest,
    connectionsPerEgress: Math.max(1, all - Math.ceil(all / 8)),
  })
  const entries = Object.entries(providerLimits).map(([provider, limits]) => [provider, reduce(limits)] as const)
  return { ...Object.fromEntries(entries), '': reduce(providerLimits['']) }
}

/** Separate connections, so that clients do not wait behind a list. A provider with a limit of one connection has a shared one. */
function shareSingleConnections(
  list: MailboxProber,
  separate: MailboxProber,
  providerLimits: ProviderLimitsTable,
): MailboxProber {
  const isShared = (provider: string) => limitsFor(provider, providerLimits).connectionsPerEgress === 1
  return { ...separate, probe: (request) => (isShared(request.provider) ? list : separate).probe(request) }
}

/** Chosen by domain, so that servers that remember clients see the same egress again and addresses of a domain stay together. */
function egressIndexOf(email: string, egresses: number): number {
  if (egresses < 2) return 0
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  return createHash('sha256').update(domain).digest().readUInt32BE(0) % egresses
}
