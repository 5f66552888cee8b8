import { createHash } from 'node:crypto'
import type { MailDns } from '@probity/engine/domain/resolver'
import type { AddressLimits } from '@probity/engine/smtp/connections/destination-limits'
import { DEFAULT_TIMEOUTS } from '@probity/engine/smtp/connections/open-connection'
import { createProbeCache } from '@probity/engine/smtp/connections/probe-cache'
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
import type { Asker, Meters } from '../server/metrics.ts'
import type { Outside } from '../webhooks/post.ts'
import type { Lookout, WaysOut } from './egress-monitor.ts'
import { type ErrorShares, openErrorShares } from './error-shares.ts'
import { meteredPace } from './instrumentation.ts'
import { brakedPace, type OperatorControls, PAUSED_MS } from './operator-controls.ts'
import { type OptOuts, obeyOptOuts } from './opt-outs.ts'
import type { ProbeLog } from './probe-log.ts'
import { tellOfSuspensions } from './publish-suspensions.ts'
import type { ReplyLog } from './reply-log.ts'

/**
 * What is around a worker: the addresses it may dial and how those who live there want to be asked. Without a word on webhooks it
 * sends none; without a lookout it takes its ways out for open; without address limits those of its settings apply.
 */
export type Surroundings = {
  policy: AddressPolicy
  habits: ProviderLimitsTable
  addressLimits?: AddressLimits
  webhooks?: Outside
  lookout?: Lookout
}

/** The desks where mailboxes are asked about, for each way out one for callers and one for lists. */
export type Mailboxes = {
  /** The desk for an address: the one it was asked at before, or else always the same one for its domain. */
  deskFor(asker: Asker, email: string, of: Asked): { desk: MailboxProber; egress: string } | undefined
  /** How many connections at once a provider bears from lists, by all our ways out. */
  connectionsMax(provider: string): number
  close(): Promise<void>
}

/** The account that an address is validated for, and the egress that it was probed from before. */
type Asked = { accountId: string; egress: string | null }

type Options = Pick<Surroundings, 'policy' | 'habits'> & {
  addressLimits: AddressLimits
  egresses: Egress[]
  dns: MailDns
  redis: Redis
  prefix: string
  replies: ReplyLog
  probes: ProbeLog
  brakes: OperatorControls
  optOuts: OptOuts
  meters: Meters
  ways: WaysOut
  log: Logger
}

export function openMailboxes(options: Options): Mailboxes {
  const { egresses, dns, redis, prefix, policy, habits, addressLimits } = options
  const { replies, probes, brakes, optOuts, ways: waysOut, meters, log } = options
  const told = tellOfSuspensions(createRedisRateLimiter({ redis, prefix, log }), { redis, prefix, log })
  const rateLimiter = meteredPace(brakedPace(told, brakes, habits), meters)
  const probeCache = createProbeCache(createFactsStore(redis, (name) => probeCacheKey(prefix, name)))
  const ofLists = leaveRoom(habits)
  const shares = openErrorShares({ redis, prefix, habits, log })
  const desks = egresses.map((egress) => {
    const open = (some: ProviderLimitsTable) =>
      createMailboxProber({
        dns,
        policy,
        egress,
        providerLimits: some,
        addressLimits,
        rateLimiter,
        probeCache,
        timeouts: DEFAULT_TIMEOUTS,
        isReachable: () => waysOut.isOpen(egress.name),
        recordUnclassified: (reply) => replies.note(reply),
        recordReply: (reply) => meters.heard(reply),
      })
    const watched = (desk: MailboxProber) => watchDesk(desk, egress.name, { probes, brakes, ways: waysOut })
    const [list, apart] = [watched(open(ofLists)), watched(open(habits))]
    return { egress: egress.name, list, caller: besideLists(list, apart, habits), apart }
  })
  return {
    deskFor(asker, email, { accountId, egress }) {
      // Where all of them are drained, each holds back what it is asked; where all are closed, each says so.
      const reachable = desks.filter((entry) => waysOut.isOpen(entry.egress))
      const some = reachable.length > 0 ? reachable : desks
      const open = some.filter((entry) => !brakes.isDrained(entry.egress))
      const ways = open.length > 0 ? open : some
      const same = egress === null ? undefined : ways.find((entry) => entry.egress === egress)
      const chosen = same ?? ways[turnOf(email, ways.length)]
      if (chosen === undefined) return undefined
      const use = { accountId, egress: chosen.egress }
      const desk = withinShare(chosen[asker], use, { shares, probes })
      return { desk: obeyOptOuts(desk, optOuts, meters), egress: chosen.egress }
    },
    connectionsMax: (provider) => limitsFor(provider, ofLists).connectionsPerEgress * Math.max(1, egresses.length),
    async close() {
      await Promise.all(desks.flatMap(({ list, apart }) => [list.close(), apart.close()]))
      await shares.stop()
    },
  }
}

/** A desk that counts what comes of asking, and asks nobody whom an operator has paused: not even over a line that is open. */
function watchDesk(
  desk: MailboxProber,
  egress: string,
  { probes, brakes, ways }: Pick<Options, 'probes' | 'brakes' | 'ways'>,
): MailboxProber {
  return {
    ...desk,
    async probe(question) {
      const { provider, domain } = question
      const isHeld = brakes.isPaused(provider) || brakes.isDrained(egress)
      const answer = isHeld ? heldAnswer() : await desk.probe(question)
      probes.note({ provider, egress }, answer)
      ways.note(domain, answer)
      return answer
    },
  }
}

/** A desk for one account. It probes a provider as long as the account has a share of the errors that the provider allows. */
function withinShare(
  desk: MailboxProber,
  of: { accountId: string; egress: string },
  { shares, probes }: { shares: ErrorShares; probes: ProbeLog },
): MailboxProber {
  return {
    ...desk,
    async probe(question) {
      const use = { ...of, provider: question.provider }
      if (!(await shares.admit(use, question.deadline))) {
        const answer = heldAnswer()
        probes.note(use, answer)
        return answer
      }
      let isRejected = false
      try {
        const answer = await desk.probe(question)
        isRejected = answer.finding.kind === 'refused' && answer.finding.code > 0
        return answer
      } finally {
        shares.settle(use, isRejected)
      }
    },
  }
}

function heldAnswer(): ProbeResult {
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

/** Of a provider's connections, lists leave one in eight to callers, and at least one where there are several. */
function leaveRoom(habits: ProviderLimitsTable): ProviderLimitsTable {
  const less = ({ connectionsPerEgress: all, ...rest }: ProviderLimits) => ({
    ...rest,
    connectionsPerEgress: Math.max(1, all - Math.ceil(all / 8)),
  })
  const entries = Object.entries(habits).map(([provider, some]) => [provider, less(some)] as const)
  return { ...Object.fromEntries(entries), '': less(habits['']) }
}

/** Callers do not stand in line behind a list, except where a provider bears one connection: that one is shared. */
function besideLists(list: MailboxProber, apart: MailboxProber, habits: ProviderLimitsTable): MailboxProber {
  const isShared = (provider: string) => limitsFor(provider, habits).connectionsPerEgress === 1
  return { ...apart, probe: (question) => (isShared(question.provider) ? list : apart).probe(question) }
}

/** By the domain, so that a server that remembers who asked meets the same egress again and its addresses stay together. */
function turnOf(email: string, ways: number): number {
  if (ways < 2) return 0
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  return createHash('sha256').update(domain).digest().readUInt32BE(0) % ways
}
