import { connect, type Socket, type TcpSocketConnectOpts } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Semaphore } from '@probity/concurrency/scheduling'
import { SocksClient } from 'socks'
import { isMailHostName } from '../../domain/mail-hosts.ts'
import { limitQueries, type MailDns, type QueryResult, queryDns } from '../../domain/resolver.ts'
import { type AddressPolicy, readAddress } from './address-policy.ts'

/** One of our ways out, with the name and the sender it goes by. One identity each, for as long as it is used. */
export type Egress = {
  /** Names it in pace tables and in what must be asked again from the same place. */
  name: string
  /** Our full host name; its address must point back to it. */
  heloName: string
  /** An address of ours that takes mail. */
  mailFrom: string
  /** The local address to connect from, where it matters. */
  localAddress?: string
  /** A proxy to go through. */
  socks5?: { host: string; port: number; username?: string; password?: string }
}

type Failure = 'dns_failed' | 'no_address' | 'not_routable' | 'refused' | 'timeout' | 'unreachable' | 'proxy_failed'

/**
 * A connection to a mail host, or why there is none. The socket is paused and nothing has been read from it: whoever takes it
 * over calls `resume()` or iterates over it. An error on it can crash nobody. `address` is for our own logs.
 */
export type DialResult = { kind: 'connected'; socket: Socket; address: string } | DialFailure

export type DialFailure = { kind: 'failed'; failure: Failure; address: string | null }

export type DialOptions = {
  dns: MailDns
  policy: AddressPolicy
  /** From where, or through which proxy. */
  egress: Pick<Egress, 'localAddress' | 'socks5'>
  /** On the clock of performance.now(). */
  deadline: number
}

/** A host that does not answer at two of its addresses does not answer, and the next mail host of the domain waits. */
const ADDRESSES_MAX = 2

/** Three lost SYNs fit into it. A host that is slower at this step will be too slow for us at every other. */
const CONNECT_LIMIT_MS = 8_000

/** With less time left no connection is begun: timers are that inexact, and hardly a host is that near. */
const CONNECT_TIME_MIN_MS = 20

/** As long as everything about a domain may take. */
const DNS_LIMIT_MS = 5_000

/**
 * Connects to a mail host. Its name is asked about once, its addresses are judged, and the very addresses that passed are dialed
 * as literals: between judging and dialing no second question is put whose answer could be another (DNS rebinding).
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
  // Names such as `localhost`, `redis` or `127.1` are addresses close to us to whoever connects; a literal is no name either.
  if (!isMailHostName(host)) return failed('not_routable')
  if (timeLeft(dialing) < CONNECT_TIME_MIN_MS) return failed('timeout')
  const addresses = await findAddresses(host, dialing)
  return Array.isArray(addresses) ? addresses.slice(0, ADDRESSES_MAX) : addresses
}

/** The resolver limits concurrency itself. */
const AT_ONCE: Semaphore = (work) => work()

/**
 * IPv4 first, and IPv6 only where there is nothing else. Mail hosts are stricter with strangers on IPv6 (they want reverse DNS and
 * judge whole networks by one sender), so the same mailbox would get another answer, and which of the two must not be chance.
 */
async function findAddresses(host: string, dialing: DialOptions): Promise<string[] | DialFailure> {
  const { deadline, policy } = dialing
  // Within limits, and once more where no answer came: a lost datagram must not look like a mail host without an address.
  const limits = { deadline: Math.min(deadline, performance.now() + DNS_LIMIT_MS), queriesMax: 4, semaphore: AT_ONCE }
  const dns = limitQueries(dialing.dns, limits)
  const four = await queryDns(dns.resolve4(host))
  // An alias without an IPv4 address behind it looks like a loop, so IPv6 is asked about before that is believed.
  if (four.kind === 'failed' && four.failure !== 'unresolved_alias') return failed('dns_failed')
  const usable = listUsable(four, policy)
  if (usable.length > 0) return usable

  const six = await queryDns(dns.resolve6(host))
  const usableSix = listUsable(six, policy)
  if (usableSix.length > 0) return usableSix
  if (four.kind === 'failed' || six.kind === 'failed') return failed('dns_failed')
  return failed(four.kind === 'records' || six.kind === 'records' ? 'not_routable' : 'no_address')
}

/** Whatever a policy says, nothing but an address is ever dialed: given a name, Node would look it up by itself. */
function listUsable(answer: QueryResult<string>, policy: AddressPolicy): string[] {
  if (answer.kind !== 'records') return []
  return [...new Set(answer.records)].filter((text) => readAddress(text) !== undefined && policy.allows(text))
}

function timeLeft({ deadline }: DialOptions): number {
  return deadline - performance.now()
}

/** Connects to an address that `resolveHost` gave. */
export async function dialAddress(address: string, dialing: DialOptions): Promise<DialResult> {
  const { policy, egress } = dialing
  const limitMs = Math.min(timeLeft(dialing), CONNECT_LIMIT_MS)
  if (limitMs < CONNECT_TIME_MIN_MS) return failed('timeout', address)
  const from = egress.localAddress === undefined ? {} : { localAddress: egress.localAddress }
  const { socks5: proxy } = egress
  if (proxy === undefined) {
    const opened = await open({ host: address, port: policy.port, ...from }, limitMs)
    return opened.kind === 'open' ? judgeAgain(opened.socket, address, policy) : failed(opened.failure, address)
  }

  // The proxy is the operator's own and may be anywhere; the policy is about the address that it is asked for.
  const began = performance.now()
  const opened = await open({ host: proxy.host, port: proxy.port, ...from }, limitMs)
  if (opened.kind === 'closed') return failed('proxy_failed', address)
  const limitLeftMs = Math.max(limitMs - (performance.now() - began), 1)
  const answer = await connectThroughProxy(opened.socket, { proxy, address, port: policy.port, limitMs: limitLeftMs })
  return answer === 'connected' ? { kind: 'connected', socket: opened.socket, address } : failed(answer, address)
}

/** The last lock: wherever the connection has ended up, it has to be a place that we may talk to. */
function judgeAgain(socket: Socket, address: string, policy: AddressPolicy): DialResult {
  const { remoteAddress } = socket
  if (remoteAddress !== undefined && policy.allows(remoteAddress)) return { kind: 'connected', socket, address }
  socket.destroy()
  // There is none once the other side has reset the connection.
  return failed(remoteAddress === undefined ? 'unreachable' : 'not_routable', address)
}

type Opened = { kind: 'open'; socket: Socket } | { kind: 'closed'; failure: 'refused' | 'timeout' | 'unreachable' }

/** Whichever of its four ends comes first decides; the others may still come, in any order, and change nothing. */
function open(target: TcpSocketConnectOpts, limitMs: number): Promise<Opened> {
  return new Promise((resolve) => {
    // With autoSelectFamily Node may try further addresses by itself.
    const socket = connect({ ...target, autoSelectFamily: false })
    const ends = {
      connect: () => settle({ kind: 'open', socket }),
      error: (error: NodeJS.ErrnoException) => settle({ kind: 'closed', failure: failureOf(error) }),
      timeout: () => settle({ kind: 'closed', failure: 'timeout' }),
      close: () => settle({ kind: 'closed', failure: 'unreachable' }),
    }
    function settle(opened: Opened) {
      socket.setTimeout(0)
      for (const [event, listener] of Object.entries(ends)) socket.off(event, listener)
      if (opened.kind === 'closed') socket.destroy()
      resolve(opened)
    }

    socket.on('error', () => {}) // for good: an error that nobody listens for ends the process
    for (const [event, listener] of Object.entries(ends)) socket.on(event, listener)
    socket.setNoDelay()
    socket.setTimeout(limitMs)
    // Before it connects, so that the greeting waits in the kernel until somebody reads it.
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

/** What a proxy says of a mail host (RFC 1928 §6), in the words of `socks`. All else it says is about the proxy or us. */
const ABOUT_THE_HOST = [
  { says: 'ConnectionRefused', means: 'refused' },
  { says: 'HostUnreachable', means: 'unreachable' },
  { says: 'NetworkUnreachable', means: 'unreachable' },
  { says: 'TTLExpired', means: 'unreachable' },
  { says: 'Proxy connection timed out', means: 'timeout' },
] as const

type Request = {
  proxy: NonNullable<Egress['socks5']>
  /** A literal address: a name would be looked up by the proxy, and lead where nobody has judged. */
  address: string
  port: number
  limitMs: number
}

/**
 * Asks the proxy at the other end of a socket to connect it to an address. The socket is paused afterwards, as it was before, and
 * whatever the mail host has said is still to be read from it.
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
    await takeBack(socket)
    return 'connected'
  } catch (error) {
    // The socket is closed by now. The error stays here, since it carries the proxy's password.
    const { message } = error as Error
    return ABOUT_THE_HOST.find(({ says }) => message.endsWith(says))?.means ?? 'proxy_failed'
  }
}

/**
 * A turn of the event loop after the proxy's last answer, `socks` emits what came behind it as data and lets the socket flow. We
 * listen during that turn and put back what we hear: it may be the greeting of the mail host.
 */
async function takeBack(socket: Socket): Promise<void> {
  const heard: Buffer[] = []
  const listen = (data: Buffer) => void heard.push(data)
  socket.on('data', listen)
  await nextTurn()
  socket.pause()
  socket.off('data', listen)
  if (heard.length > 0) socket.unshift(Buffer.concat(heard))
}
