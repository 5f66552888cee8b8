import type { Egress } from './dial.ts'
import type { Reply, Stage } from './reply-reader.ts'
import type { Disconnect, SmtpSocket } from './socket.ts'

/** Result of the SMTP handshake: the session is ready, the server rejected it, or the connection ended. */
export type HandshakeResult =
  | { kind: 'ready'; capabilities: Capabilities; family: Family; banner: Reply }
  | { kind: 'rejected'; stage: Stage; reply: Reply }
  | Disconnect

type Handshake = {
  socket: SmtpSocket
  egress: Egress
  /** The mail host's name, for TLS. */
  host: string
  /** Whether to use STARTTLS if the server offers it. */
  tls: boolean
  /** On the clock of `performance.now()`: for the greeting, and for each reply to a command. */
  greetedBy: number
  deadline(): number
}

/** The part after the greeting. */
type Commands = Omit<Handshake, 'greetedBy'>

/** From the banner to the point where mail could be sent (RFC 5321 §3.1, §3.2). */
export async function performHandshake(handshake: Handshake): Promise<HandshakeResult> {
  const { socket, tls, greetedBy } = handshake
  const banner = await socket.read(greetedBy)
  if (isDisconnect(banner)) return banner
  if (banner.code !== 220) return { kind: 'rejected', stage: 'greeting', reply: banner }

  const hello = await sendHello(handshake)
  if (hello.kind !== 'ready') return hello
  const ready = tls && hello.capabilities.starttls ? await startTls(handshake) : hello
  return ready.kind === 'ready' ? { ...ready, family: findFamily(banner), banner } : ready
}

type Hello = { kind: 'ready'; capabilities: Capabilities } | Exclude<HandshakeResult, { kind: 'ready' }>

async function sendHello({ socket, egress, deadline }: Commands): Promise<Hello> {
  socket.send([{ verb: 'EHLO', name: egress.heloName }], false)
  const ehlo = await socket.read(deadline())
  if (isDisconnect(ehlo)) return ehlo
  if (ehlo.code === 250) return { kind: 'ready', capabilities: parseCapabilities(ehlo) }
  // RFC 5321 §3.2: a server that does not support EHLO replies with one of these codes and is sent HELO. Any other code rejects us.
  if (![500, 501, 502, 504, 550].includes(ehlo.code)) return { kind: 'rejected', stage: 'ehlo', reply: ehlo }

  socket.send([{ verb: 'HELO', name: egress.heloName }], false)
  const helo = await socket.read(deadline())
  if (isDisconnect(helo)) return helo
  return helo.code === 250
    ? { kind: 'ready', capabilities: NO_CAPABILITIES }
    : { kind: 'rejected', stage: 'ehlo', reply: helo }
}

/** Starts TLS and sends EHLO again: capabilities from before TLS are discarded (RFC 3207 §4.2). */
export async function startTls(handshake: Commands): Promise<Hello> {
  const { socket, host, deadline } = handshake
  socket.send([{ verb: 'STARTTLS' }], false)
  const consent = await socket.read(deadline())
  if (isDisconnect(consent)) return consent
  if (consent.code !== 220) return { kind: 'rejected', stage: 'starttls', reply: consent }
  return (await socket.upgrade(host, deadline())) ?? sendHello(handshake)
}

export function isDisconnect(received: Reply | Disconnect): received is Disconnect {
  return 'kind' in received
}

/** The capabilities that the server announces, and its software. */
export type Capabilities = {
  pipelining: boolean
  starttls: boolean
  utf8: boolean
  /** Limits that the server declares (RFC 9422); Infinity where it declares none. */
  limits: { recipients: number; transactions: number; domains: number }
}

/** Server software that the greeting identifies. It determines how many errors the server tolerates. */
export type Family = 'postfix' | 'exim' | 'exchange' | 'opensmtpd' | 'haraka' | 'unknown'

/** HELO announces no capabilities. */
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

/** Parses the EHLO reply. Its first line is the greeting; each further one is a keyword with parameters (RFC 5321 §4.1.1.1). */
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

/** RFC 9422 §4: a number of one to six digits, not zero. Any other value is ignored. */
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
