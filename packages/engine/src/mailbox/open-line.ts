import type { MailDns } from '../domain/resolver.ts'
import type { AddressPolicy } from './address-policy.ts'
import type { Stop } from './destination.ts'
import { type DialFailure, dialAddress } from './dial.ts'
import type { Egress } from './egress.ts'
import { type Greeting, greet } from './greet.ts'
import { errorsOnConnection } from './habits.ts'
import type { Break } from './inbox.ts'
import type { HostKnowledge, Knowledge } from './knowledge.ts'
import type { Line, Site } from './line.ts'
import type { Lease } from './pace.ts'
import type { Reply, Stage } from './reply.ts'
import { FIRST_STRIDE } from './room.ts'
import { said } from './said.ts'
import { openWire } from './wire.ts'

export type LineNetwork = {
  dns: MailDns
  policy: AddressPolicy
  egress: Egress
  knowledge: Knowledge
  patience: Patience
}

/** How long we wait. Every wait also ends with the question's own deadline. */
export type Patience = {
  /** For the reply to a command. A server that answers refusals slowly on purpose takes five seconds (Exchange) or more. */
  commandMs: number
  /** How long a line without work is kept, in case more comes for its site. */
  idleMs: number
  /** How old a line may become. Shorter than its lease lasts. */
  lineMs: number
  /** For the server to close after QUIT. */
  quitMs: number
}

export const PATIENCE: Patience = { commandMs: 15_000, idleMs: 2_000, lineMs: 60_000, quitMs: 2_000 }

/** Why a host gave us no line. */
export type NoLine =
  | { kind: 'not_dialled'; host: string; failure: DialFailure['failure'] }
  | { kind: 'turned_away'; host: string; stage: Stage; reply: Reply }
  | { kind: 'broke'; host: string; broke: Break }

type Wanted = { site: Site; stop: Stop; lease: Lease; deadline: number }

/** Connects to one address of a mail host and greets it. The lease stays the caller's until the line is there. */
export async function openLine(network: LineNetwork, wanted: Wanted): Promise<{ kind: 'line'; line: Line } | NoLine> {
  const { dns, policy, egress, knowledge, patience } = network
  const { site, stop, lease, deadline } = wanted
  const { host } = stop
  const known = await knowledge.ofHost(host)
  const dialled = await dialAddress(stop.address, { dns, policy, egress, deadline })
  if (dialled.kind === 'failed') return { kind: 'not_dialled', host, failure: dialled.failure }

  const wire = openWire(dialled.socket)
  const tls = wantsTls(site, known)
  const replyBy = () => Math.min(deadline, performance.now() + patience.commandMs)
  const greeting = await greet({ wire, egress, host, tls, deadline: replyBy })
  if (greeting.kind === 'welcome') {
    const destination = stop.destination?.site ?? null
    return { kind: 'line', line: newLine({ site, host, destination, wire, lease, known, greeting }) }
  }

  void wire.quit(Math.min(deadline, performance.now() + patience.quitMs))
  if (greeting.kind === 'refused') return { kind: 'turned_away', host, stage: greeting.stage, reply: greeting.reply }
  if (greeting.why === 'tls_failed') {
    // Without TLS it may well talk to us; there is nothing secret in what we ask.
    await knowledge.learnHost(host, { tlsBroken: true })
  }
  return { kind: 'broke', host, broke: greeting }
}

function wantsTls({ habits }: Site, known: HostKnowledge): boolean {
  if (known.tlsBroken || habits.tls === 'never') return false
  return habits.tls === 'offered' || known.tlsDemanded === true
}

type Opened = Pick<Line, 'site' | 'host' | 'destination' | 'wire' | 'lease'> & {
  known: HostKnowledge
  greeting: Extract<Greeting, { kind: 'welcome' }>
}

function newLine({ known, greeting: { offers, family, banner }, ...opened }: Opened): Line {
  const { habits } = opened.site
  return {
    ...opened,
    offers,
    greeting: said('greeting', banner),
    openedAt: performance.now(),
    asked: 0,
    refused: 0,
    transactions: 0,
    transaction: null,
    stride: known.stride ?? FIRST_STRIDE,
    errorsMax: Math.min(errorsOnConnection(habits, family), known.errorsMax ?? Number.POSITIVE_INFINITY),
    recipientsMax: known.recipientsMax ?? Number.POSITIVE_INFINITY,
    quickestMs: Number.POSITIVE_INFINITY,
    slowestRefusalMs: 0,
    secure: opened.wire.certificate() !== null,
  }
}
