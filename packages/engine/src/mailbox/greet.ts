import type { Egress } from './egress.ts'
import type { Break } from './inbox.ts'
import { type Family, familyOf, NO_OFFERS, type Offers, readOffers } from './offers.ts'
import type { Reply, Stage } from './reply.ts'
import type { Wire } from './wire.ts'

/** How a conversation began: with the server's consent, with its refusal, or not at all. */
export type Greeting =
  | { kind: 'welcome'; offers: Offers; family: Family; banner: Reply }
  | { kind: 'refused'; stage: Stage; reply: Reply }
  | Break

type Greeter = {
  wire: Wire
  egress: Egress
  /** The mail host's name, for TLS. */
  host: string
  /** Whether to use TLS where it is offered. */
  tls: boolean
  /** On the clock of `performance.now()`, for each reply. */
  deadline(): number
}

/** From the banner to the point where mail could be sent (RFC 5321 §3.1, §3.2). */
export async function greet(greeter: Greeter): Promise<Greeting> {
  const { wire, tls, deadline } = greeter
  const banner = await wire.read(deadline())
  if (isBreak(banner)) return banner
  if (banner.code !== 220) return { kind: 'refused', stage: 'greeting', reply: banner }

  const hello = await sayHello(greeter)
  if (hello.kind !== 'welcome') return hello
  const offers = tls && hello.offers.starttls ? await startTls(greeter) : hello
  return offers.kind === 'welcome' ? { ...offers, family: familyOf(banner), banner } : offers
}

type Hello = { kind: 'welcome'; offers: Offers } | Exclude<Greeting, { kind: 'welcome' }>

async function sayHello({ wire, egress, deadline }: Greeter): Promise<Hello> {
  wire.say([{ verb: 'EHLO', name: egress.heloName }], false)
  const ehlo = await wire.read(deadline())
  if (isBreak(ehlo)) return ehlo
  if (ehlo.code === 250) return { kind: 'welcome', offers: readOffers(ehlo) }
  // RFC 5321 §3.2: a server that does not know EHLO says so, and is greeted the old way. Any other refusal is one of us.
  if (![500, 501, 502, 504, 550].includes(ehlo.code)) return { kind: 'refused', stage: 'ehlo', reply: ehlo }

  wire.say([{ verb: 'HELO', name: egress.heloName }], false)
  const helo = await wire.read(deadline())
  if (isBreak(helo)) return helo
  return helo.code === 250 ? { kind: 'welcome', offers: NO_OFFERS } : { kind: 'refused', stage: 'ehlo', reply: helo }
}

/** Changes over to TLS and greets again: what was offered in plain text is forgotten (RFC 3207 §4.2). */
export async function startTls(greeter: Greeter): Promise<Hello> {
  const { wire, host, deadline } = greeter
  wire.say([{ verb: 'STARTTLS' }], false)
  const consent = await wire.read(deadline())
  if (isBreak(consent)) return consent
  if (consent.code !== 220) return { kind: 'refused', stage: 'starttls', reply: consent }
  return (await wire.upgrade(host, deadline())) ?? sayHello(greeter)
}

export function isBreak(heard: Reply | Break): heard is Break {
  return 'kind' in heard
}
