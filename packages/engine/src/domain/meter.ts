import type { Gate } from './gate.ts'
import { dnsError, type MailDns } from './resolver.ts'

/** How much one look-up may ask. */
export type Allowance = {
  /** On the clock of `performance.now()`. */
  deadline: number
  questionsMax: number
  gate: Gate
}

/**
 * The same resolver, within limits: so many questions, all before one moment, and no more at a time than the process allows.
 * What is over a limit fails like a question that DNS did not answer.
 */
export function meter(dns: MailDns, { deadline, questionsMax, gate }: Allowance): MailDns {
  let questionsLeft = questionsMax

  const ask = async <T>(put: () => Promise<T>): Promise<T> => {
    if (questionsLeft === 0) throw dnsError('EBUDGET', 'The look-up has asked all it may.')
    questionsLeft -= 1
    return within(
      deadline,
      // A question that had to wait for too long is not asked any more.
      gate(() => (isPast(deadline) ? Promise.reject(tooLate()) : put())),
    )
  }

  /** The resolver goes on looking after we gave up, so a second question may find what the first had to wait for. */
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

/** The work goes on when its time is up, since it cannot be taken back from the resolver; only the waiting ends. */
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
  return dnsError('ETIMEOUT', 'The time for the look-up is up.')
}
