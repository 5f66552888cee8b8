import type { Semaphore } from '@probity/concurrency/scheduling'
import { dnsError, type MailDns } from './resolver.ts'

/** Limits of one lookup. */
export type QueryLimits = {
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
