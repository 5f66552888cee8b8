import type { MailDns } from '../../domain/resolver.ts'
import type { AddressPolicy } from '../protocol/address-policy.ts'
import { type DialFailure, type DialOptions, dialAddress, type Egress, resolveHost } from '../protocol/dial.ts'
import { type HandshakeResult, performHandshake } from '../protocol/handshake.ts'
import type { Reply, Stage } from '../protocol/reply-reader.ts'
import { createSmtpSocket, type Disconnect } from '../protocol/socket.ts'
import { errorLimitFor } from '../providers/limits.ts'
import { toTranscriptEntry } from '../replies/reply-text.ts'
import type { Site, SmtpConnection } from './connection.ts'
import type { DestinationLimits, HostAddress } from './destination-limits.ts'
import type { HostProfile, ProbeCache } from './probe-cache.ts'
import type { Lease } from './rate-limiter.ts'
import { FIRST_WINDOW_SIZE } from './recipient-window.ts'
import type { TimeFactor } from './time-factor.ts'

export type ConnectionNetwork = TimeFactor & {
  dns: MailDns
  policy: AddressPolicy
  egress: Egress
  probeCache: ProbeCache
  timeouts: Timeouts
}

/** Every wait also ends at the deadline of the probe. */
export type Timeouts = {
  /** Allows for three lost SYNs. A host that is slower to connect would be too slow at every other step. */
  connectMs: number
  /** For the greeting. cPanel delays it by 20 seconds for clients that it does not know; RFC 5321 §4.5.3.2.1 allows five minutes. */
  greetingMs: number
  /** The least time for the greeting of a host when others wait for their turn. */
  greetingMinMs: number
  /** For the reply to a command. A server that delays rejections on purpose takes five seconds (Exchange) or more. */
  commandMs: number
  /** How long an idle connection is kept, in case its site gets more probes. */
  idleMs: number
  /** The age limit of a connection. Shorter than its lease. */
  connectionMs: number
  /** For the server to close after QUIT. */
  quitMs: number
  /** A reply that takes longer may be delayed on purpose, and a rejection that takes as long as the maximum is. */
  slowMs: number
  refusalMsMax: number
}

export const DEFAULT_TIMEOUTS: Timeouts = {
  connectMs: 8_000,
  greetingMs: 35_000,
  greetingMinMs: 10_000,
  commandMs: 15_000,
  idleMs: 2_000,
  connectionMs: 60_000,
  quitMs: 2_000,
  slowMs: 2_000,
  refusalMsMax: 12_000,
}

/** Why there is no connection to a host. */
export type ConnectFailure =
  | { kind: 'not_connected'; host: string; failure: DialFailure['failure'] }
  | { kind: 'rejected'; host: string; stage: Stage; reply: Reply }
  | { kind: 'disconnected'; host: string; disconnect: Disconnect }

/** `hostsLeft`: other hosts that are tried if this one fails. */
type Wanted = { site: Site; address: HostAddress; lease: Lease; deadline: number; hostsLeft: number }

/** Connects to one address of a mail host and performs the SMTP handshake. The caller keeps the lease until there is a connection. */
export async function openConnection(
  network: ConnectionNetwork,
  wanted: Wanted,
): Promise<{ kind: 'connection'; connection: SmtpConnection } | ConnectFailure> {
  const { dns, policy, egress, probeCache, timeouts } = network
  const { site, address, lease, deadline, hostsLeft } = wanted
  const { host } = address
  const openedAt = performance.now()
  const known = await probeCache.readHost(host)
  const { connectMs } = timeouts
  const dialed = await dialAddress(address.address, { dns, policy, egress, deadline, connectMs })
  if (dialed.kind === 'failed') return { kind: 'not_connected', host, failure: dialed.failure }

  const socket = createSmtpSocket(dialed.socket)
  const tls = wantsTls(site, known)
  const replyBy = () => Math.min(deadline, performance.now() + timeouts.commandMs)
  const share = Math.max(timeouts.greetingMinMs, (deadline - performance.now()) / (hostsLeft + 1))
  const greetedBy = Math.min(deadline, performance.now() + Math.min(timeouts.greetingMs, share))
  const greeting = await performHandshake({ socket, egress, host, tls, greetedBy, deadline: replyBy })
  if (greeting.kind === 'ready') {
    const destination = address.destination?.site ?? null
    return {
      kind: 'connection',
      connection: newConnection({ site, host, destination, socket, lease, openedAt, known, greeting }, timeouts),
    }
  }

  void socket.quit(Math.min(deadline, performance.now() + timeouts.quitMs))
  if (greeting.kind === 'rejected') return { kind: 'rejected', host, stage: greeting.stage, reply: greeting.reply }
  if (greeting.why === 'tls_failed') {
    // The next attempt is made without TLS: a probe sends nothing secret.
    await probeCache.updateHost(host, { tlsBroken: true })
  }
  return { kind: 'disconnected', host, disconnect: greeting }
}

function wantsTls({ limits }: Site, known: HostProfile): boolean {
  if (known.tlsBroken || limits.tls === 'never') return false
  return limits.tls === 'offered' || known.tlsDemanded === true
}

type Opened = Pick<SmtpConnection, 'site' | 'host' | 'destination' | 'socket' | 'lease' | 'openedAt'> & {
  known: HostProfile
  greeting: Extract<HandshakeResult, { kind: 'ready' }>
}

function newConnection(
  { known, greeting: { capabilities, family, banner }, ...opened }: Opened,
  { slowMs, refusalMsMax }: Timeouts,
): SmtpConnection {
  const { limits } = opened.site
  return {
    ...opened,
    capabilities,
    greeting: toTranscriptEntry('greeting', banner),
    probed: 0,
    rejected: 0,
    transactions: 0,
    transaction: null,
    windowSize: known.stride ?? FIRST_WINDOW_SIZE,
    errorsMax: Math.min(errorLimitFor(limits, family), known.errorsMax ?? Number.POSITIVE_INFINITY),
    recipientsMax: known.recipientsMax ?? Number.POSITIVE_INFINITY,
    quickestMs: Number.POSITIVE_INFINITY,
    slowestRefusalMs: 0,
    slowMs,
    refusalMsMax,
    secure: opened.socket.certificate() !== null,
  }
}

/** The addresses of a site's hosts, resolved one host at a time and only when it is needed. */
export type Route = {
  /** The next address; undefined after the last one. */
  next(): Promise<HostAddress | undefined>
  /** Records why there is no connection to an address. A host that replied is not tried at its other address. */
  recordFailure(failure: ConnectFailure): void
  /** One per host, in order. */
  failures: ConnectFailure[]
  /** Hosts after the current one. */
  hostsLeft(): number
}

/** The most hosts that are tried for one probe: a site with two that do not respond hardly has a third that does. */
const HOSTS_MAX = 3

type RouteOptions = { site: Site; except: ReadonlySet<string>; dialing: DialOptions; destinations: DestinationLimits }

/** RFC 5321 §5.1: hosts in the order of preference; the next one if the first is unavailable or does not accept connections. */
export function createRoute({ site, except, dialing, destinations }: RouteOptions): Route {
  const hosts = site.hosts.map(({ name }) => name).filter((name) => !except.has(name))
  const waiting = hosts.slice(0, HOSTS_MAX)
  const failures: ConnectFailure[] = []
  let current = { host: '', addresses: [] as string[] }

  async function nextHost(): Promise<boolean> {
    const host = waiting.shift()
    if (host === undefined) return false
    const addresses = await resolveHost(host, dialing)
    if (!Array.isArray(addresses)) failures.push({ kind: 'not_connected', host, failure: addresses.failure })
    current = { host, addresses: Array.isArray(addresses) ? addresses : [] }
    return true
  }

  return {
    async next() {
      while (current.addresses.length === 0) if (!(await nextHost())) return undefined
      const { host } = current
      const address = current.addresses.shift() ?? ''
      return { host, address, destination: await destinations.find({ site, host, address }) }
    },
    recordFailure(failure) {
      const isOver = failure.kind !== 'not_connected' || current.addresses.length === 0
      if (!isOver) return
      current.addresses = []
      failures.push(failure)
    },
    failures,
    hostsLeft: () => waiting.length,
  }
}
