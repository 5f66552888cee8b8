import { connect, type Socket, type TcpSocketConnectOpts } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Semaphore } from '@probity/concurrency/scheduling'
import { SocksClient } from 'socks'
import { isMailHostName } from '../../domain/mail-hosts.ts'
import { limitQueries, type MailDns, type QueryResult, queryDns } from '../../domain/resolver.ts'
import { type AddressPolicy, readAddress } from './address-policy.ts'

/** A source of outbound SMTP with its HELO name and sender. The identity does not change while the egress is in use. */
export type Egress = {
  /** Identifies it in rate limits and for retries that must use the same egress. */
  name: string
  /** The full host name sent in HELO; the PTR record of its IP address must match it. */
  heloName: string
  /** A sender address that accepts mail. */
  mailFrom: string
  /** The local address to connect from, if the host has several. */
  localAddress?: string
  /** The proxy to connect through. */
  socks5?: { host: string; port: number; username?: string; password?: string }
}

type Failure = 'dns_failed' | 'no_address' | 'not_routable' | 'refused' | 'timeout' | 'unreachable' | 'proxy_failed'

/**
 * A connection to a mail host, or the reason why there is none. The socket is paused and nothing has been read from it: its user calls
 * `resume()` or iterates over it. It has an error listener, so an error does not end the process. `address` is for our own logs.
 */
export type DialResult = { kind: 'connected'; socket: Socket; address: string } | DialFailure

export type DialFailure = { kind: 'failed'; failure: Failure; address: string | null }

export type DialOptions = {
  dns: MailDns
  policy: AddressPolicy
  /** The local address or the proxy. */
  egress: Pick<Egress, 'localAddress' | 'socks5'>
  /** On the clock of performance.now(). */
  deadline: number
  /** The limit of one connection attempt. */
  connectMs?: number
}

/** The number of addresses of a host that are tried before the next mail host of the domain. */
const ADDRESSES_MAX = 2

/** The limit of a connection attempt without one of its own. */
const CONNECT_LIMIT_MS = 8_000

/** With less time left no connection is attempted: timers are not more exact, and hardly any host is that near. */
const CONNECT_TIME_MIN_MS = 20

/** The DNS time limit of a whole domain lookup. */
const DNS_LIMIT_MS = 5_000

/**
 * Connects to a mail host. Its name is resolved once, and the policy checks the addresses. Exactly the allowed addresses are connected
 * to, as literals: no second query, whose response could differ, is sent in between (DNS rebinding).
 */
export async function dialHost(host: string, dialing: DialOptions): Promise<DialResult> {
  const addresses = await resolveHost(host, dialing)
  if (!Array.isArray(addresses)) return addresses

  let dialed: DialResult = failed('timeout')
  for (const address of addresses) {
    dialed = await dialAddress(address, dialing)
    if (dialed.kind === 'connected' || timeLeft(dialing) < CONNECT_TIME_MIN_MS) break
  }
  return dialed
}

/** The addresses of a mail host that may be dialed, in the order to try them. */
export async function resolveHost(host: string, dialing: DialOptions): Promise<string[] | DialFailure> {
  // Names such as `localhost`, `redis` or `127.1` would resolve to addresses of our own network; a literal is not a name either.
  if (!isMailHostName(host)) return failed('not_routable')
  if (timeLeft(dialing) < CONNECT_TIME_MIN_MS) return failed('timeout')
  const addresses = await findAddresses(host, dialing)
  return Array.isArray(addresses) ? addresses.slice(0, ADDRESSES_MAX) : addresses
}

/** The resolver limits concurrency itself. */
const AT_ONCE: Semaphore = (work) => work()

/**
 * IPv4 first, and IPv6 only if there is no IPv4. Mail hosts are stricter with unknown clients on IPv6 (they require reverse DNS and rate
 * whole networks by one sender), so the same mailbox could get another reply. The choice must not depend on chance.
 */
async function findAddresses(host: string, dialing: DialOptions): Promise<string[] | DialFailure> {
  const { deadline, policy } = dialing
  // Limited, and repeated once without a response: a lost datagram must not look like a mail host without an address.
  const limits = { deadline: Math.min(deadline, performance.now() + DNS_LIMIT_MS), queriesMax: 4, semaphore: AT_ONCE }
  const dns = limitQueries(dialing.dns, limits)
  const four = await queryDns(dns.resolve4(host))
  // An alias without an IPv4 address looks like a loop, so IPv6 is queried before it counts as a failure.
  if (four.kind === 'failed' && four.failure !== 'unresolved_alias') return failed('dns_failed')
  const usable = listUsable(four, policy)
  if (usable.length > 0) return usable

  const six = await queryDns(dns.resolve6(host))
  const usableSix = listUsable(six, policy)
  if (usableSix.length > 0) return usableSix
  if (four.kind === 'failed' || six.kind === 'failed') return failed('dns_failed')
  return failed(four.kind === 'records' || six.kind === 'records' ? 'not_routable' : 'no_address')
}

/** Whatever the policy allows, only addresses are connected to: Node would resolve a name by itself. */
function listUsable(answer: QueryResult<string>, policy: AddressPolicy): string[] {
  if (answer.kind !== 'records') return []
  return [...new Set(answer.records)].filter((text) => readAddress(text) !== undefined && policy.allows(text))
}

function timeLeft({ deadline }: DialOptions): number {
  return deadline - performance.now()
}

/** Connects to an address that `resolveHost` returned. */
export async function dialAddress(address: string, dialing: DialOptions): Promise<DialResult> {
  const { policy, egress, connectMs = CONNECT_LIMIT_MS } = dialing
  const limitMs = Math.min(timeLeft(dialing), connectMs)
  if (limitMs < CONNECT_TIME_MIN_MS) return failed('timeout', address)
  const from = egress.localAddress === undefined ? {} : { localAddress: egress.localAddress }
  const { socks5: proxy } = egress
  if (proxy === undefined) {
    const opened = await open({ host: address, port: policy.port, ...from }, limitMs)
    return opened.kind === 'open' ? checkPeerAddress(opened.socket, address, policy) : failed(opened.failure, address)
  }

  // The proxy belongs to the operator and may have any address; the policy applies to the address that the proxy connects to.
  const began = performance.now()
  const opened = await open({ host: proxy.host, port: proxy.port, ...from }, limitMs)
  if (opened.kind === 'closed') return failed('proxy_failed', address)
  const limitLeftMs = Math.max(limitMs - (performance.now() - began), 1)
  const answer = await connectThroughProxy(opened.socket, { proxy, address, port: policy.port, limitMs: limitLeftMs })
  return answer === 'connected' ? { kind: 'connected', socket: opened.socket, address } : failed(answer, address)
}

/** The final check: the policy must allow the actual peer address of the connection. */
function checkPeerAddress(socket: Socket, address: string, policy: AddressPolicy): DialResult {
  const { remoteAddress } = socket
  if (remoteAddress !== undefined && policy.allows(remoteAddress)) return { kind: 'connected', socket, address }
  socket.destroy()
  // Undefined after the other side has reset the connection.
  return failed(remoteAddress === undefined ? 'unreachable' : 'not_routable', address)
}

type Opened = { kind: 'open'; socket: Socket } | { kind: 'closed'; failure: 'refused' | 'timeout' | 'unreachable' }

/** The first of the four events decides. The others may follow in any order and have no effect. */
function open(target: TcpSocketConnectOpts, limitMs: number): Promise<Opened> {
  return new Promise((resolve) => {
    // With autoSelectFamily Node may try further addresses by itself.
    const socket = connect({ ...target, autoSelectFamily: false })
    const listeners = {
      connect: () => settle({ kind: 'open', socket }),
      error: (error: NodeJS.ErrnoException) => settle({ kind: 'closed', failure: failureOf(error) }),
      timeout: () => settle({ kind: 'closed', failure: 'timeout' }),
      close: () => settle({ kind: 'closed', failure: 'unreachable' }),
    }
    function settle(opened: Opened) {
      socket.setTimeout(0)
      for (const [event, listener] of Object.entries(listeners)) socket.off(event, listener)
      if (opened.kind === 'closed') socket.destroy()
      resolve(opened)
    }

    socket.on('error', () => {}) // never removed: an error without a listener ends the process
    for (const [event, listener] of Object.entries(listeners)) socket.on(event, listener)
    socket.setNoDelay()
    socket.setTimeout(limitMs)
    // Before it connects, so that the greeting stays in the kernel until it is read.
    socket.pause()
  })
}

function failureOf({ code }: NodeJS.ErrnoException) {
  if (code === 'ECONNREFUSED') return 'refused'
  return code === 'ETIMEDOUT' ? 'timeout' : 'unreachable'
}

function failed(failure: Failure, address: string | null = null): DialFailure {
  return { kind: 'failed', failure, address }
}

/** Replies of a proxy about the mail host (RFC 1928 §6), as `socks` words them. All other replies are about the proxy or us. */
const HOST_FAILURES = [
  { says: 'ConnectionRefused', means: 'refused' },
  { says: 'HostUnreachable', means: 'unreachable' },
  { says: 'NetworkUnreachable', means: 'unreachable' },
  { says: 'TTLExpired', means: 'unreachable' },
  { says: 'Proxy connection timed out', means: 'timeout' },
] as const

type Request = {
  proxy: NonNullable<Egress['socks5']>
  /** A literal address: the proxy would resolve a name to an address that the policy has not checked. */
  address: string
  port: number
  limitMs: number
}

/**
 * Requests a connection to an address from the proxy at the other end of a socket. The socket is paused before and after, and the data of
 * the mail host are still to be read from it.
 */
export async function connectThroughProxy(socket: Socket, { proxy, address, port, limitMs }: Request) {
  try {
    const established = SocksClient.createConnection({
      command: 'connect',
      proxy: {
        host: proxy.host,
        port: proxy.port,
        type: 5,
        userId: proxy.username ?? '',
        password: proxy.password ?? '',
      },
      destination: { host: address, port },
      existing_socket: socket,
      timeout: limitMs,
    })
    socket.resume()
    await established
    await unshiftReceived(socket)
    return 'connected'
  } catch (error) {
    // The socket is closed by now. The error is not passed on, because it contains the proxy's password.
    const { message } = error as Error
    return HOST_FAILURES.find(({ says }) => message.endsWith(says))?.means ?? 'proxy_failed'
  }
}

/**
 * One turn of the event loop after the proxy's last reply, `socks` emits the bytes after it as data and resumes the socket. We collect
 * them during that turn and put them back, because they may be the greeting of the mail host.
 */
async function unshiftReceived(socket: Socket): Promise<void> {
  const received: Buffer[] = []
  const listen = (data: Buffer) => void received.push(data)
  socket.on('data', listen)
  await nextTurn()
  socket.pause()
  socket.off('data', listen)
  if (received.length > 0) socket.unshift(Buffer.concat(received))
}
