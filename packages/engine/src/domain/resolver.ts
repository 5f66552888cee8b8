import type { MxRecord } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { createSemaphore } from '@probity/concurrency/scheduling'

/** The questions we ask. Node's own `Resolver` answers them, and so does what `openResolver` returns. */
export type MailDns = {
  resolveMx(name: string): Promise<MxRecord[]>
  resolve4(name: string): Promise<string[]>
  resolve6(name: string): Promise<string[]>
  resolveTxt(name: string): Promise<string[][]>
}

type ResolverOptions = {
  /** `address` or `address:port` of resolvers that recurse. Questions take turns, so a repeated one meets another. */
  servers: string[]
  timeoutMs?: number
  /** Limit of the process; other queries wait, and their timeout starts when they are sent. */
  queriesInFlightMax?: number
}

/** A recursive lookup can take a second or more; two of these fit into the five seconds of a lookup. */
const TIMEOUT_MS = 2_000
/** The buffer of a resolver's socket holds about 270 questions, and what does not fit in is lost. */
const QUERIES_IN_FLIGHT_MAX = 250

/**
 * Node's resolver with a time limit that holds. A `Resolver` of c-ares that lives long learns how quick its server is and from
 * then on gives up on a question after a quarter of a second, whatever `timeout` says: from a resolver that mostly answers out of
 * its cache, every slow domain would look dead. So each question has a `Resolver` of its own, which costs 60 µs and may also be
 * cancelled without hurting another's question.
 */
export function openResolver(options: ResolverOptions): MailDns {
  const { servers, timeoutMs = TIMEOUT_MS, queriesInFlightMax = QUERIES_IN_FLIGHT_MAX } = options
  const semaphore = createSemaphore(queriesInFlightMax)
  let turn = 0
  const ask = <T>(put: (resolver: Resolver) => Promise<T>) => {
    turn = (turn + 1) % servers.length
    const server = servers[turn] ?? ''
    return semaphore(() => askOnce(server, timeoutMs, put))
  }
  return {
    resolveMx: (name) => ask((resolver) => resolver.resolveMx(name)),
    resolve4: (name) => ask((resolver) => resolver.resolve4(name)),
    resolve6: (name) => ask((resolver) => resolver.resolve6(name)),
    resolveTxt: (name) => ask((resolver) => resolver.resolveTxt(name)),
  }
}

/** One try, so at most two messages: the second over TCP when the first answer was cut short. */
async function askOnce<T>(server: string, timeoutMs: number, put: (resolver: Resolver) => Promise<T>): Promise<T> {
  // c-ares looks at its own clock once a second, so ours decides and its limit only stands behind.
  const resolver = new Resolver({ timeout: 2 * timeoutMs, tries: 1 })
  resolver.setServers([server])
  let late = false
  const timer = setTimeout(() => {
    late = true
    resolver.cancel()
  }, timeoutMs)
  try {
    return await put(resolver)
  } catch (error) {
    throw late ? dnsError('ETIMEOUT', 'The resolver did not respond in time.') : error
  } finally {
    clearTimeout(timer)
  }
}

/** An error as Node's resolver throws them. */
export function dnsError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}
