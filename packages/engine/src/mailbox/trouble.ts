import { providerOfHost } from '../domain/provider.ts'
import type { Unanswered } from './answer.ts'
import type { Heard } from './chunk.ts'
import { habitsOf } from './habits.ts'
import type { Break } from './inbox.ts'
import { againFor, interpret } from './interpret.ts'
import type { HostKnowledge } from './knowledge.ts'
import { type Line, type Site, siteKey } from './line.ts'
import type { Taken } from './lines.ts'
import type { NoLine } from './open-line.ts'
import type { MailNetwork } from './question.ts'
import type { Reading, Reply, Stage } from './reply.ts'
import { FIRST_STRIDE } from './room.ts'
import { said } from './said.ts'
import { answerAll, type Interview, type Survey } from './survey.ts'

type Asking = Pick<Interview, 'survey' | 'network'>

/** How long a server that turned us away is left alone where its habits do not say. */
const SUSPEND_DEFAULT_MS = 30 * 60_000

/**
 * Suspends what a reply is about, from this egress: the whole provider where the name of the host that replied proves that it is the
 * provider's, else the domain's own set of hosts. The wait that the reply names may shorten the suspension, never lengthen it.
 */
export async function backOff({ survey, network }: Asking, host: string, reading: Reading): Promise<void> {
  const { reason, retryAfterMs } = reading
  const target = findTarget(survey.site, host, network)
  const ownS = target.habits.suspendS[reason]
  const ownMs = ownS === undefined ? SUSPEND_DEFAULT_MS : ownS * 1_000
  if (reason === 'rate_limited') await network.pace.slowDown(target)
  await network.pace.suspend(target, reason, Math.min(retryAfterMs ?? ownMs, ownMs))
  await network.knowledge.learnHost(host, { lastBlock: { at: Date.now() / 1000, reason } })
}

function findTarget(site: Site, host: string, { egress, habits }: MailNetwork) {
  const provider = providerOfHost(host)
  return provider === ''
    ? { egress: egress.name, site: siteKey('', site.hosts), habits: site.habits }
    : { egress: egress.name, site: provider, habits: habitsOf(provider, habits) }
}

/** Remembers what a host does not bear, and begins carefully next time. */
export async function learnLimit(network: MailNetwork, line: Line, learnt: HostKnowledge): Promise<void> {
  line.stride = FIRST_STRIDE
  await network.knowledge.learnHost(line.host, { ...learnt, stride: FIRST_STRIDE })
}

/** The server would not begin, with us or at all. What it says there is never about a mailbox. */
export async function turnedAway(
  asking: Asking,
  { host, stage, reply }: { host: string; stage: Stage; reply: Reply },
): Promise<void> {
  const { survey, network } = asking
  noteReply(asking, stage, reply)
  const reading = interpret({ ...asking, host }, stage, reply)
  if (reading.reason === 'tls_required' && !(await network.knowledge.ofHost(host)).tlsDemanded) {
    await network.knowledge.learnHost(host, { tlsDemanded: true })
    return
  }
  const finding = { kind: 'refused', code: 0, reason: reading.reason } as const
  survey.trouble = { finding, host, dialogue: [said(stage, reply)], ...againFor(reading, reply.code) }
  if (reading.scope === 'egress' || reading.reason === 'rate_limited') {
    await backOff(asking, host, reading)
    answerAll(survey, survey.trouble)
  }
}

/** Tells whoever counts what servers say. */
export function noteReply({ survey, network }: Asking, stage: Stage | 'control', { code, enhanced }: Reply): void {
  network.noteReply?.({ provider: survey.site.provider, stage, code, enhanced })
}

/** The connection ended with questions open. A server that leaves or slows down after a refusal has shown how many it bears. */
export async function meetBreak({ survey, network, line }: Interview, { broke, answers }: Heard): Promise<void> {
  if (broke === null) return
  const finding = { kind: 'unanswered', why: BREAKS[broke.why] } as const
  // A server that has answered others will answer these, too, another time.
  const again = survey.answers.size > 0 ? { again: { afterMs: null } } : {}
  survey.trouble ??= { finding, host: line.host, dialogue: [line.greeting], ...again }
  const isRefused = (answers.at(-1)?.reply.code ?? 0) >= 400
  if (broke.why === 'closed' && isRefused) await learnLimit(network, line, { errorsMax: line.refused })
  if (broke.why === 'tarpit')
    await learnLimit(network, line, { errorsMax: Math.max(1, line.refused - (isRefused ? 1 : 0)) })
}

/** A host that answered nothing is not asked again for this question, if there is another. */
export function meetSilence(survey: Survey, host: string): void {
  survey.fruitless += 1
  const others = survey.site.hosts.some(({ name }) => name !== host && !survey.except.has(name))
  if (others) survey.except.add(host)
}

/** Nobody could be asked. */
export async function meetNoLine(
  survey: Survey,
  network: MailNetwork,
  taken: Exclude<Taken, { kind: 'line' }>,
): Promise<void> {
  if (taken.kind === 'held') {
    const finding = { kind: 'unanswered', why: 'throttled' } as const
    return answerAll(survey, { finding, again: { afterMs: taken.hold.retryAfterMs } })
  }
  for (const tried of taken.tries) {
    if (tried.kind === 'turned_away') await turnedAway({ survey, network }, tried)
    else survey.trouble ??= { finding: { kind: 'unanswered', why: whyOf(tried) }, host: tried.host }
  }
}

function whyOf(tried: Exclude<NoLine, { kind: 'turned_away' }>): Unanswered {
  return tried.kind === 'broke' ? BREAKS[tried.broke.why] : FAILURES[tried.failure]
}

const FAILURES: Record<Extract<NoLine, { kind: 'not_dialled' }>['failure'], Unanswered> = {
  dns_failed: 'dns_failed',
  no_address: 'connection_failed',
  not_routable: 'not_routable',
  refused: 'connection_failed',
  timeout: 'timeout',
  unreachable: 'connection_failed',
  proxy_failed: 'connection_failed',
}

const BREAKS: Record<Break['why'], Unanswered> = {
  timeout: 'timeout',
  closed: 'connection_closed',
  garbled: 'protocol_error',
  tarpit: 'timeout',
  tls_failed: 'protocol_error',
}
