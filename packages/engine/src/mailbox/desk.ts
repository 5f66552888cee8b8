import type { MailboxAnswer } from './answer.ts'
import { askDomain } from './ask.ts'
import { habitsOf } from './habits.ts'
import { openLines } from './lines.ts'
import type { MailNetwork, Question, Recipient } from './question.ts'
import { nextTryMs } from './retry-ladder.ts'

/** Where mailboxes are asked about, one at a time or many, by whoever works on them. */
export type MailboxDesk = {
  ask(question: OneQuestion): Promise<MailboxAnswer>
  /** How long a provider wants to be left alone after so many tries; null when there is no point in another. */
  nextTryMs(provider: string, tries: number, afterMs: number | null): number | null
  /** Ends the lines that are open. What is being asked is finished first. */
  close(): Promise<void>
}

export type OneQuestion = Omit<Question, 'recipients'> & { recipient: Recipient }

/** What waits for one domain. Once a batch has been answered, it is known whether the domain accepts everything. */
type Queue = { waiting: Waiting[]; running: number; isKnown: boolean }

type Waiting = { question: OneQuestion; resolve(answer: MailboxAnswer): void; reject(error: unknown): void }

/** One domain's addresses that are asked together. More would tie up a line for too long. */
const BATCH_MAX = 100

/**
 * Brings questions about the same domain together, whoever has them: what comes in while a batch is being asked waits for the
 * next one, which goes out on the same line. A further line is opened only when a whole batch is waiting, and not for the first
 * one: two that know nothing yet would both have to ask for the recipient that cannot exist.
 */
export function openMailboxDesk(options: Omit<MailNetwork, 'lines'>): MailboxDesk {
  const network: MailNetwork = { ...options, lines: openLines(options) }
  const queues = new Map<string, Queue>()
  const running = new Set<Promise<void>>()

  function start(domain: string): void {
    const queue = queues.get(domain)
    const [first] = queue?.waiting ?? []
    if (queue === undefined || first === undefined) return
    const { connectionsPerEgress } = habitsOf(first.question.provider, network.habits)
    const isFull = queue.isKnown && queue.waiting.length >= BATCH_MAX
    if (queue.running > 0 && !(isFull && queue.running < connectionsPerEgress)) return

    queue.running += 1
    const work = askTogether(queue.waiting.splice(0, BATCH_MAX), network).finally(() => {
      running.delete(work)
      queue.running -= 1
      queue.isKnown = true
      if (queue.waiting.length > 0) start(domain)
      else if (queue.running === 0) queues.delete(domain)
    })
    running.add(work)
    start(domain)
  }

  return {
    ask(question) {
      const { domain } = question
      return new Promise((resolve, reject) => {
        const queue = queues.get(domain) ?? { waiting: [], running: 0, isKnown: false }
        queues.set(domain, queue)
        queue.waiting.push({ question, resolve, reject })
        // Not before the others of this turn are here.
        if (queue.waiting.length % BATCH_MAX === 1) setImmediate(() => start(domain))
      })
    },
    nextTryMs: (provider, tries, afterMs) => nextTryMs(habitsOf(provider, network.habits), tries, afterMs),
    async close() {
      await Promise.all(running)
      await network.lines.close()
    },
  }
}

async function askTogether(batch: Waiting[], network: MailNetwork): Promise<void> {
  const [first] = batch
  if (first === undefined) return
  const recipients = batch.map(({ question }) => ({ ...question.recipient }))
  const deadline = Math.min(...batch.map(({ question }) => question.deadline))
  try {
    const answers = await askDomain({ ...first.question, recipients, deadline }, network)
    for (const [n, { resolve, reject }] of batch.entries()) {
      const found = answers[n]
      if (found) resolve(found)
      else reject(new Error('a question without an answer'))
    }
  } catch (error) {
    for (const { reject } of batch) reject(error)
  }
}
