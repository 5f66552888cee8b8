import type { MxRecord, SoaRecord } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { createSemaphore, type Semaphore } from '@probity/concurrency/scheduling'
import { FAILURES } from './data/dns-failures.ts'

/** The queries of this package. Node's `Resolver` implements them, and so does the result of `openResolver`. */
export type MailDns = {
  resolveMx(name: string): Promise<MxRecord[]>
  resolve4(name: string): Promise<string[]>
  resolve6(name: string): Promise<string[]>
  resolveTxt(name: string): Promise<string[][]>
}

/** Also resolves SOA, which only the check of the resolver needs. */
type FullResolver = MailDns & { resolveSoa(name: string): Promise<SoaRecord[]> }

type ResolverOptions = {
  /** `address` or `address:port` of recursive resolvers. Queries rotate, so a repeated query uses another one. */
  servers: string[]
  timeoutMs?: number
  /** Limit of the process; other queries wait, and their timeout starts when they are sent. */
  queriesInFlightMax?: number
}

/** A recursive lookup can take a second or more; two of these fit into the five seconds of a lookup. */
const TIMEOUT_MS = 2_000
/** The socket buffer of a resolver holds about 270 queries; others are lost. */
const QUERIES_IN_FLIGHT_MAX = 250

/**
 * Node's resolver with a reliable timeout. A long-lived c-ares `Resolver` adapts to the speed of its server and then gives up after
 * 250 ms, whatever `timeout` is: with a resolver that mostly responds from its cache, every slow domain would seem to fail. Therefore
 * each query has its own `Resolver`, which costs 60 µs and can be canceled without an effect on other queries.
 */
export function openResolver(options: ResolverOptions): FullResolver {
  const { servers, timeoutMs = TIMEOUT_MS, queriesInFlightMax = QUERIES_IN_FLIGHT_MAX } = options
  const semaphore = createSemaphore(queriesInFlightMax)
  let turn = 0
  const ask = <T>(put: (resolver: Resolver) => Promise<T>) => {
    turn = (turn + 1) % servers.length
    const server = servers[turn] ?? ''
    return semaphore(() => queryOnce(server, timeoutMs, put))
  }
  return {
    resolveMx: (name) => ask((resolver) => resolver.resolveMx(name)),
    resolve4: (name) => ask((resolver) => resolver.resolve4(name)),
    resolve6: (name) => ask((resolver) => resolver.resolve6(name)),
    resolveTxt: (name) => ask((resolver) => resolver.resolveTxt(name)),
    resolveSoa: (name) => ask(async (resolver) => [await resolver.resolveSoa(name)]),
  }
}

/** One attempt, so at most two messages: the second over TCP if the first response was truncated. */
async function queryOnce<T>(server: string, timeoutMs: number, put: (resolver: Resolver) => Promise<T>): Promise<T> {
  // c-ares checks its clock once a second, so our timer decides and its limit is a fallback.
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

/**
 * Why a query failed. `unresolved_alias`: an alias without a record of the queried type. `inconsistent`: responses that say both that
 * the name exists and that it does not.
 */
export type DnsFailure = (typeof FAILURES)[keyof typeof FAILURES] | 'unresolved_alias' | 'inconsistent' | 'other'

/** A response without a record, of two kinds, is a result. A failed query is not, and is never treated as one. */
export type QueryResult<T> =
  | { kind: 'records'; records: T[] }
  | { kind: 'no_data' }
  | { kind: 'no_name' }
  | { kind: 'failed'; failure: DnsFailure }

export async function queryDns<T>(query: Promise<T[]>): Promise<QueryResult<T>> {
  try {
    const records = await query
    // Node returns an empty list for a response that contains only an alias. It does not report whether the target has no such
    // record or the chain is a loop.
    return records.length > 0 ? { kind: 'records', records } : { kind: 'failed', failure: 'unresolved_alias' }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'ENODATA') return { kind: 'no_data' }
    if (code === 'ENOTFOUND') return { kind: 'no_name' }
    return { kind: 'failed', failure: isKnown(code) ? FAILURES[code] : 'other' }
  }
}

function isKnown(code: string): code is keyof typeof FAILURES {
  return Object.hasOwn(FAILURES, code)
}

/** Limits of one lookup. */
type QueryLimits = {
  /** On the clock of `performance.now()`. */
  deadline: number
  queriesMax: number
  semaphore: Semaphore
}

/**
 * Limits a resolver: number of queries, deadline, and concurrency of the process. A query over a limit fails like a DNS query
 * without a response.
 */
export function limitQueries(dns: MailDns, { deadline, queriesMax, semaphore }: QueryLimits): MailDns {
  let queriesLeft = queriesMax

  const query = async <T>(put: () => Promise<T>): Promise<T> => {
    if (queriesLeft === 0) throw dnsError('EBUDGET', 'The limit of DNS queries was reached.')
    queriesLeft -= 1
    return within(
      deadline,
      // A query whose deadline passed while it waited is not sent.
      semaphore(() => (isPast(deadline) ? Promise.reject(tooLate()) : put())),
    )
  }

  /** The resolver continues after our timeout, so a second query may find the cached response. */
  const queryTwice = async <T>(put: () => Promise<T>): Promise<T> => {
    try {
      return await query(put)
    } catch (error) {
      const isTimeout = (error as NodeJS.ErrnoException).code === 'ETIMEOUT'
      if (!isTimeout || queriesLeft === 0 || isPast(deadline)) throw error
      return query(put)
    }
  }

  return {
    resolveMx: (name) => queryTwice(() => dns.resolveMx(name)),
    resolve4: (name) => queryTwice(() => dns.resolve4(name)),
    resolve6: (name) => queryTwice(() => dns.resolve6(name)),
    resolveTxt: (name) => query(() => dns.resolveTxt(name)),
  }
}

/** Stops waiting at the deadline. The query itself continues, because the resolver cannot cancel it. */
async function within<T>(deadline: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeUp = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooLate()), Math.max(0, deadline - performance.now()))
  })
  try {
    return await Promise.race([work, timeUp])
  } finally {
    clearTimeout(timer)
  }
}

function isPast(deadline: number): boolean {
  return performance.now() >= deadline
}

function tooLate(): Error {
  return dnsError('ETIMEOUT', 'The DNS lookup timed out.')
}
