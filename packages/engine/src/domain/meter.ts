import type { Semaphore } from '@probity/concurrency/semaphore'
import { dnsError, type MailDns } from './resolver.ts'

/** Limits of one lookup. */
export type Allowance = {
  /** On the clock of `performance.now()`. */
  deadline: number
  questionsMax: number
  semaphore: Semaphore
}

/**
 * Limits a resolver: number of queries, deadline, and concurrency of the process. A query over a limit fails like a DNS query
 * without a response.
 */
export function meter(dns: MailDns, { deadline, questionsMax, semaphore }: Allowance): MailDns {
  let questionsLeft = questionsMax

  const ask = async <T>(put: () => Promise<T>): Promise<T> => {
    if (questionsLeft === 0) throw dnsError('EBUDGET', 'The limit of DNS queries was reached.')
    questionsLeft -= 1
    return within(
      deadline,
      // A query whose deadline passed while it waited is not sent.
      semaphore(() => (isPast(deadline) ? Promise.reject(tooLate()) : put())),
    )
  }

  /** The resolver continues after our timeout, so a second query may find the cached response. */
  const askTwice = async <T>(put: () => Promise<T>): Promise<T> => {
    try {
      return await ask(put)
    } catch (error) {
      const isTimeout = (error as NodeJS.ErrnoException).code === 'ETIMEOUT'
      if (!isTimeout || questionsLeft === 0 || isPast(deadline)) throw error
      return ask(put)
    }
  }

  return {
    resolveMx: (name) => askTwice(() => dns.resolveMx(name)),
    resolve4: (name) => askTwice(() => dns.resolve4(name)),
    resolve6: (name) => askTwice(() => dns.resolve6(name)),
    resolveTxt: (name) => ask(() => dns.resolveTxt(name)),
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
