import type { Probing } from '@probity/contract/probing'
import type { ProbingReason } from '@probity/contract/probing-words'
import type { MailDns } from '@probity/engine/domain/resolver'
import type { AddressPolicy } from '@probity/engine/mailbox/address-policy'
import type { MailboxAnswer } from '@probity/engine/mailbox/answer'
import type { Landmark } from '@probity/engine/mailbox/data/landmarks'
import type { Egress } from '@probity/engine/mailbox/egress'
import { isThrough, type Reached, reachLandmarks } from '@probity/engine/mailbox/reach'
import type { Logger } from 'pino'
import { startRounds } from './release/rounds.ts'

/** Whether mail servers can be reached by each of our ways out. */
export type WaysOut = {
  isOpen(egress: string): boolean
  /** What this worker can do: one way that is open is enough. */
  probing(): Probing
  /** Listens to what comes of asking. When nobody answers any more, the ways are looked at again. */
  note(domain: string, answer: MailboxAnswer): void
  /** Tells of every change of what `probing` says. */
  whenChanged(tell: () => void): void
  stop(): Promise<void>
}

export type Lookout = {
  /** Whose greeting shows that a way is open. */
  landmarks: Landmark[]
  /** How often to look again: where all ways are open, and where one is not. */
  openMs: number
  closedMs: number
}

/** Hourly where all is well, for it costs others a greeting, and more often where somebody waits for it to be well again. */
export const LOOK_EVERY = { openMs: 60 * 60_000, closedMs: 5 * 60_000 }

/** As long as the dialler gives one address to answer. */
const LOOK_WITHIN_MS = 8_000
/** So many that did not answer, of so many domains, and none that did in between: then it may be us. */
const SILENT_MAX = 20
const SILENT_DOMAINS_MIN = 3
/** Mail servers are silent for reasons of their own, too, so silence does not make us look more often than this. */
const LOOK_AGAIN_MS = 60_000

type Options = {
  egresses: Egress[]
  dns: MailDns
  policy: AddressPolicy
  /** Without one nobody is asked for a greeting, and every way counts as open. */
  lookout: Lookout | undefined
  log: Logger
}

/** Looks before it resolves, so that nobody is asked about an address before it is known whether that can be done. */
export async function openWaysOut({ egresses, dns, policy, lookout, log }: Options): Promise<WaysOut> {
  const closed = new Map<string, ProbingReason | null>(egresses.map(({ name }) => [name, null]))
  const silence = { answers: 0, domains: new Set<string>() }
  let lookedAt = performance.now()
  let tell = () => {}

  async function lookAt(egress: Egress, landmarks: Landmark[]): Promise<void> {
    const deadline = performance.now() + LOOK_WITHIN_MS
    const reached = await reachLandmarks(landmarks, { dns, policy, egress, deadline })
    const found = judge(reached)
    if (found === undefined || found === closed.get(egress.name)) return
    closed.set(egress.name, found)
    const seen = reached.map(({ landmark, reach }) => `${landmark.provider}: ${reach.kind}`)
    if (found === null) log.info({ egress: egress.name }, 'mail servers can be reached again')
    else log.warn({ egress: egress.name, reason: found, seen }, 'mail servers cannot be reached')
  }

  async function look({ landmarks }: Lookout): Promise<void> {
    const before = probing()
    lookedAt = performance.now()
    silence.answers = 0
    silence.domains.clear()
    await Promise.all(egresses.map((egress) => lookAt(egress, landmarks)))
    const now = probing()
    if (now.mode !== before.mode || now.reason !== before.reason) tell()
  }

  function probing(): Probing {
    const reasons = [...closed.values()]
    if (reasons.length === 0) return { mode: 'dns', reason: 'no_helo_name' }
    return reasons.includes(null) ? { mode: 'smtp', reason: null } : { mode: 'dns', reason: reasons[0] ?? null }
  }

  function isDue({ openMs, closedMs }: Lookout): boolean {
    const sinceMs = performance.now() - lookedAt
    const isSilent = silence.answers >= SILENT_MAX && silence.domains.size >= SILENT_DOMAINS_MIN
    if (isSilent && sinceMs >= Math.min(LOOK_AGAIN_MS, closedMs)) return true
    return sinceMs >= ([...closed.values()].every((reason) => reason === null) ? openMs : closedMs)
  }

  if (lookout) await look(lookout)
  const name = 'looking for mail servers'
  const rounds =
    lookout && egresses.length > 0
      ? startRounds(
          Math.min(LOOK_AGAIN_MS, lookout.closedMs),
          async () => void (isDue(lookout) && (await look(lookout))),
          { log, name },
        )
      : undefined

  return {
    isOpen: (egress) => (closed.get(egress) ?? null) === null,
    probing,
    note(domain, { finding }) {
      if (finding.kind === 'unasked') return
      if (finding.kind === 'unanswered' && finding.why === 'throttled') return
      if (finding.kind === 'unanswered' && (finding.why === 'connection_failed' || finding.why === 'timeout')) {
        silence.answers += 1
        if (silence.domains.size < SILENT_DOMAINS_MIN) silence.domains.add(domain)
      } else {
        silence.answers = 0
        silence.domains.clear()
      }
    },
    whenChanged(listener) {
      tell = listener
    },
    stop: async () => void (await rounds?.stop()),
  }
}

/** Fewer hosts that could not be reached show nothing: one of them may be down. */
const DIALLED_MIN = 2

/** Why a way is closed, or null where it is open. Undefined where that cannot be told: then it stays what it was. */
function judge(reached: Reached[]): ProbingReason | null | undefined {
  if (reached.some(({ reach }) => isThrough(reach))) return null
  const dialled = reached.map(({ reach }) => reach.kind).filter((kind) => kind !== 'not_asked')
  if (dialled.length < DIALLED_MIN) return undefined
  if (dialled.includes('intercepted')) return 'intercepted'
  return dialled.every((kind) => kind === 'proxy_failed') ? 'proxy_failed' : 'port_25_closed'
}
