import { startInterval } from '@probity/concurrency/scheduling'
import type { ProbingReason } from '@probity/contract/constants/system'
import type { ProbingState } from '@probity/contract/schemas/system'
import type { MailDns } from '@probity/engine/domain/resolver'
import { type ConnectivityCheck, checkReferenceHosts, isReachable } from '@probity/engine/smtp/probe/connectivity-check'
import type { ReferenceHost } from '@probity/engine/smtp/probe/data/reference-hosts'
import type { ProbeResult } from '@probity/engine/smtp/probe/result'
import type { AddressPolicy } from '@probity/engine/smtp/protocol/address-policy'
import type { Egress } from '@probity/engine/smtp/protocol/dial'
import type { Logger } from 'pino'

/** Whether each egress can reach mail servers. */
export type EgressMonitor = {
  isOpen(egress: string): boolean
  /** The probing mode of this worker: SMTP if at least one egress works. */
  probing(): ProbingState
  /** Records probe outcomes. After repeated timeouts the egresses are checked again. */
  note(domain: string, answer: ProbeResult): void
  /** Called after every change of `probing`. */
  whenChanged(tell: () => void): void
  stop(): Promise<void>
}

export type EgressCheckSettings = {
  /** Hosts whose greeting proves that an egress works. */
  referenceHosts: ReferenceHost[]
  /** Check intervals: if all egresses work, and if one does not. */
  openMs: number
  closedMs: number
}

/** Hourly if all egresses work, because each check opens connections to third parties; more often after a failure. */
export const CHECK_INTERVALS = { openMs: 60 * 60_000, closedMs: 5 * 60_000 }

/** The time that the dialer allows for one IP address. */
const CHECK_TIMEOUT_MS = 8_000
/** This many consecutive timeouts over this many domains suggest that the egress is the cause. */
const SILENT_MAX = 20
const SILENT_DOMAINS_MIN = 3
/** Mail servers also time out for other reasons, so timeouts trigger a check at most this often. */
const CHECK_AGAIN_MS = 60_000

type Options = {
  egresses: Egress[]
  dns: MailDns
  policy: AddressPolicy
  /** Without referenceHosts no check runs, and every egress counts as working. */
  egressChecks: EgressCheckSettings | undefined
  log: Logger
}

/** The first check completes before this resolves, so that no address is probed before the state is known. */
export async function openEgressMonitor({ egresses, dns, policy, egressChecks, log }: Options): Promise<EgressMonitor> {
  const closed = new Map<string, ProbingReason | null>(egresses.map(({ name }) => [name, null]))
  const timeouts = openTimeoutCounter()
  let checkedAt = performance.now()
  let tell = () => {}

  async function checkEgress(egress: Egress, referenceHosts: ReferenceHost[]): Promise<void> {
    const deadline = performance.now() + CHECK_TIMEOUT_MS
    const reached = await checkReferenceHosts(referenceHosts, { dns, policy, egress, deadline })
    const found = judge(reached)
    if (found === undefined || found === closed.get(egress.name)) return
    closed.set(egress.name, found)
    const seen = reached.map(({ referenceHost, connectivity }) => `${referenceHost.provider}: ${connectivity.kind}`)
    if (found === null) log.info({ egress: egress.name }, 'egress recovered: mail servers reachable')
    else log.warn({ egress: egress.name, reason: found, seen }, 'egress failed: mail servers unreachable')
  }

  async function checkAll({ referenceHosts }: EgressCheckSettings): Promise<void> {
    const before = probing()
    checkedAt = performance.now()
    timeouts.reset()
    await Promise.all(egresses.map((egress) => checkEgress(egress, referenceHosts)))
    const now = probing()
    if (now.mode !== before.mode || now.reason !== before.reason) tell()
  }

  function probing(): ProbingState {
    const reasons = [...closed.values()]
    if (reasons.length === 0) return { mode: 'dns', reason: 'no_helo_name' }
    return reasons.includes(null) ? { mode: 'smtp', reason: null } : { mode: 'dns', reason: reasons[0] ?? null }
  }

  function isDue({ openMs, closedMs }: EgressCheckSettings): boolean {
    const sinceMs = performance.now() - checkedAt
    if (timeouts.isSuspicious() && sinceMs >= Math.min(CHECK_AGAIN_MS, closedMs)) return true
    return sinceMs >= ([...closed.values()].every((reason) => reason === null) ? openMs : closedMs)
  }

  if (egressChecks) await checkAll(egressChecks)
  const interval =
    egressChecks && egresses.length > 0
      ? startInterval(
          Math.min(CHECK_AGAIN_MS, egressChecks.closedMs),
          async () => void (isDue(egressChecks) && (await checkAll(egressChecks))),
          { onError: (error) => log.warn({ err: error }, 'looking for mail servers failed; retrying') },
        )
      : undefined

  return {
    isOpen: (egress) => (closed.get(egress) ?? null) === null,
    probing,
    note: timeouts.note,
    whenChanged(listener) {
      tell = listener
    },
    stop: async () => void (await interval?.stop()),
  }
}

/** Consecutive probes without a response, and some of their domains. */
function openTimeoutCounter() {
  let probes = 0
  const domains = new Set<string>()

  function reset(): void {
    probes = 0
    domains.clear()
  }

  return {
    reset,
    isSuspicious: () => probes >= SILENT_MAX && domains.size >= SILENT_DOMAINS_MIN,
    note(domain: string, { finding }: ProbeResult): void {
      if (finding.kind === 'unasked') return
      if (finding.kind === 'unanswered' && finding.why === 'throttled') return
      if (finding.kind === 'unanswered' && (finding.why === 'connection_failed' || finding.why === 'timeout')) {
        probes += 1
        if (domains.size < SILENT_DOMAINS_MIN) domains.add(domain)
      } else {
        reset()
      }
    },
  }
}

/** One unreachable host proves nothing: it may be down. */
const DIALLED_MIN = 2

/** Why an egress does not work; null if it works. Undefined if that is unclear: then the state is unchanged. */
function judge(reached: ConnectivityCheck[]): ProbingReason | null | undefined {
  if (reached.some(({ connectivity }) => isReachable(connectivity))) return null
  const dialled = reached.map(({ connectivity }) => connectivity.kind).filter((kind) => kind !== 'not_asked')
  if (dialled.length < DIALLED_MIN) return undefined
  if (dialled.includes('intercepted')) return 'intercepted'
  return dialled.every((kind) => kind === 'proxy_failed') ? 'proxy_failed' : 'port_25_closed'
}
