import type { Egress } from './dial.ts'
import type { Reply, Stage } from './reply-reader.ts'
import type { Disconnect, SmtpSocket } from './socket.ts'

/** How a conversation began: with the server's consent, with its refusal, or not at all. */
export type HandshakeResult =
  | { kind: 'ready'; capabilities: Capabilities; family: Family; banner: Reply }
  | { kind: 'rejected'; stage: Stage; reply: Reply }
  | Disconnect

type Handshake = {
  socket: SmtpSocket
  egress: Egress
  /** The mail host's name, for TLS. */
  host: string
  /** Whether to use TLS where it is offered. */
  tls: boolean
  /** On the clock of `performance.now()`, for each reply. */
  deadline(): number
}

/** From the banner to the point where mail could be sent (RFC 5321 §3.1, §3.2). */
export async function performHandshake(handshake: Handshake): Promise<HandshakeResult> {
  const { socket, tls, deadline } = handshake
  const banner = await socket.read(deadline())
  if (isDisconnect(banner)) return banner
  if (banner.code !== 220) return { kind: 'rejected', stage: 'greeting', reply: banner }

  const hello = await sendHello(handshake)
  if (hello.kind !== 'ready') return hello
  const ready = tls && hello.capabilities.starttls ? await startTls(handshake) : hello
  return ready.kind === 'ready' ? { ...ready, family: findFamily(banner), banner } : ready
}

type Hello = { kind: 'ready'; capabilities: Capabilities } | Exclude<HandshakeResult, { kind: 'ready' }>

async function sendHello({ socket, egress, deadline }: Handshake): Promise<Hello> {
  socket.send([{ verb: 'EHLO', name: egress.heloName }], false)
  const ehlo = await socket.read(deadline())
  if (isDisconnect(ehlo)) return ehlo
  if (ehlo.code === 250) return { kind: 'ready', capabilities: parseCapabilities(ehlo) }
  // RFC 5321 §3.2: a server that does not know EHLO says so, and is greeted the old way. Any other refusal is one of us.
  if (![500, 501, 502, 504, 550].includes(ehlo.code)) return { kind: 'rejected', stage: 'ehlo', reply: ehlo }

  socket.send([{ verb: 'HELO', name: egress.heloName }], false)
  const helo = await socket.read(deadline())
  if (isDisconnect(helo)) return helo
  return helo.code === 250
    ? { kind: 'ready', capabilities: NO_CAPABILITIES }
    : { kind: 'rejected', stage: 'ehlo', reply: helo }
}

/** Changes over to TLS and greets again: what was offered in plain text is forgotten (RFC 3207 §4.2). */
export async function startTls(handshake: Handshake): Promise<Hello> {
  const { socket, host, deadline } = handshake
  socket.send([{ verb: 'STARTTLS' }], false)
  const consent = await socket.read(deadline())
  if (isDisconnect(consent)) return consent
  if (consent.code !== 220) return { kind: 'rejected', stage: 'starttls', reply: consent }
  return (await socket.upgrade(host, deadline())) ?? sendHello(handshake)
}

export function isDisconnect(heard: Reply | Disconnect): heard is Disconnect {
  return 'kind' in heard
}

/** What a server said it can do, and what kind of server it shows itself to be. */
export type Capabilities = {
  pipelining: boolean
  starttls: boolean
  utf8: boolean
  /** Limits that the server declares (RFC 9422); Infinity where it declares none. */
  limits: { recipients: number; transactions: number; domains: number }
}

/** Kinds of servers that we know by their greeting. Who is what decides how many mistakes it bears. */
export type Family = 'postfix' | 'exim' | 'exchange' | 'opensmtpd' | 'haraka' | 'unknown'

/** After HELO nothing is offered. */
export const NO_CAPABILITIES: Capabilities = {
  pipelining: false,
  starttls: false,
  utf8: false,
  limits: {
    recipients: Number.POSITIVE_INFINITY,
    transactions: Number.POSITIVE_INFINITY,
    domains: Number.POSITIVE_INFINITY,
  },
}

/** Reads the reply to EHLO. Its first line greets; each further one is a keyword with parameters (RFC 5321 §4.1.1.1). */
export function parseCapabilities(reply: Reply): Capabilities {
  const words = reply.lines.slice(1).map((line) => line.trim().toUpperCase().split(/\s+/))
  const has = (keyword: string) => words.some(([first]) => first === keyword)
  const declared = words.find(([first]) => first === 'LIMITS')?.slice(1) ?? []
  return {
    pipelining: has('PIPELINING'),
    starttls: has('STARTTLS'),
    utf8: has('SMTPUTF8'),
    limits: {
      recipients: limitIn(declared, 'RCPTMAX'),
      transactions: limitIn(declared, 'MAILMAX'),
      domains: limitIn(declared, 'RCPTDOMAINMAX'),
    },
  }
}

/** RFC 9422 §4: a number of one to six digits, not zero. What is written otherwise is no limit. */
function limitIn(declared: string[], name: string): number {
  const value = declared.find((item) => item.startsWith(`${name}=`))?.slice(name.length + 1) ?? ''
  return /^[1-9]\d{0,5}$/.test(value) ? Number(value) : Number.POSITIVE_INFINITY
}

export function findFamily(banner: Reply): Family {
  const text = banner.lines.join(' ')
  return FAMILIES.find(([, mark]) => mark.test(text))?.[0] ?? 'unknown'
}

const FAMILIES: [Family, RegExp][] = [
  ['postfix', /\bpostfix\b/i],
  ['exim', /\bexim\b/i],
  ['exchange', /microsoft esmtp mail service/i],
  ['opensmtpd', /\bopensmtpd\b/i],
  ['haraka', /\bharaka\b/i],
]
