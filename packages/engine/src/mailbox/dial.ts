import { connect, type Socket, type TcpSocketConnectOpts } from 'node:net'
import { type Answer, ask } from '../domain/ask.ts'
import type { Gate } from '../domain/gate.ts'
import { isMailHostName } from '../domain/host-name.ts'
import { meter } from '../domain/meter.ts'
import type { MailDns } from '../domain/resolver.ts'
import { readAddress } from './address-bytes.ts'
import type { AddressPolicy } from './address-policy.ts'
import type { Egress } from './egress.ts'
import { askProxy } from './socks.ts'

type Failure = 'dns_failed' | 'no_address' | 'not_routable' | 'refused' | 'timeout' | 'unreachable' | 'proxy_failed'

/**
 * A connection to a mail host, or why there is none. The socket is paused and nothing has been read from it: whoever takes it
 * over calls `resume()` or iterates over it. An error on it can crash nobody. `address` is for our own logs.
 */
export type Dialled = { kind: 'connected'; socket: Socket; address: string } | DialFailure

export type DialFailure = { kind: 'failed'; failure: Failure; address: string | null }

export type Dialling = {
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
 * Connects to a mail host. Its name is asked about once, its addresses are judged, and the very addresses that passed are dialled
 * as literals: between judging and dialling no second question is put whose answer could be another (DNS rebinding).
 */
export async function dialHost(host: string, dialling: Dialling): Promise<Dialled> {
  const addresses = await resolveHost(host, dialling)
  if (!Array.isArray(addresses)) return addresses

  let dialled: Dialled = failed('timeout')
  for (const address of addresses) {
    dialled = await dialAddress(address, dialling)
    if (dialled.kind === 'connected' || timeLeft(dialling) < CONNECT_TIME_MIN_MS) break
  }
  return dialled
}

/** The addresses of a mail host that may be dialled, in the order to try them. */
export async function resolveHost(host: string, dialling: Dialling): Promise<string[] | DialFailure> {
  // Names such as `localhost`, `redis` or `127.1` are addresses close to us to whoever connects; a literal is no name either.
  if (!isMailHostName(host)) return failed('not_routable')
  if (timeLeft(dialling) < CONNECT_TIME_MIN_MS) return failed('timeout')
  const addresses = await findAddresses(host, dialling)
  return Array.isArray(addresses) ? addresses.slice(0, ADDRESSES_MAX) : addresses
}

/** The resolver has a gate of its own. */
const AT_ONCE: Gate = (work) => work()

/**
 * IPv4 first, and IPv6 only where there is nothing else. Mail hosts are stricter with strangers on IPv6 (they want reverse DNS and
 * judge whole networks by one sender), so the same mailbox would get another answer, and which of the two must not be chance.
 */
async function findAddresses(host: string, dialling: Dialling): Promise<string[] | DialFailure> {
  const { deadline, policy } = dialling
  // Within limits, and once more where no answer came: a lost datagram must not look like a mail host without an address.
  const limits = { deadline: Math.min(deadline, performance.now() + DNS_LIMIT_MS), questionsMax: 4, gate: AT_ONCE }
  const dns = meter(dialling.dns, limits)
  const four = await ask(dns.resolve4(host))
  // An alias without an IPv4 address behind it looks like a loop, so IPv6 is asked about before that is believed.
  if (four.kind === 'failed' && four.failure !== 'unresolved_alias') return failed('dns_failed')
  const usable = listUsable(four, policy)
  if (usable.length > 0) return usable

  const six = await ask(dns.resolve6(host))
  const usableSix = listUsable(six, policy)
  if (usableSix.length > 0) return usableSix
  if (four.kind === 'failed' || six.kind === 'failed') return failed('dns_failed')
  return failed(four.kind === 'records' || six.kind === 'records' ? 'not_routable' : 'no_address')
}

/** Whatever a policy says, nothing but an address is ever dialled: given a name, Node would look it up by itself. */
function listUsable(answer: Answer<string>, policy: AddressPolicy): string[] {
  if (answer.kind !== 'records') return []
  return [...new Set(answer.records)].filter((text) => readAddress(text) !== undefined && policy.allows(text))
}

function timeLeft({ deadline }: Dialling): number {
  return deadline - performance.now()
}

/** Connects to an address that `resolveHost` gave. */
export async function dialAddress(address: string, dialling: Dialling): Promise<Dialled> {
  const { policy, egress } = dialling
  const limitMs = Math.min(timeLeft(dialling), CONNECT_LIMIT_MS)
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
  const answer = await askProxy(opened.socket, { proxy, address, port: policy.port, limitMs: limitLeftMs })
  return answer === 'connected' ? { kind: 'connected', socket: opened.socket, address } : failed(answer, address)
}

/** The last lock: wherever the connection has ended up, it has to be a place that we may talk to. */
function judgeAgain(socket: Socket, address: string, policy: AddressPolicy): Dialled {
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
