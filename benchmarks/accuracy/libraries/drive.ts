import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSemaphore } from '@probity/concurrency/scheduling'

export type Verdict = 'valid' | 'invalid' | 'risky' | 'unknown'

/** The result of a library for one address; `evidence` is for readers. */
export type Answer = {
  verdict: Verdict
  subStatus?: string
  evidence?: string
  /** The replies to RCPT that the evidence about the recipient quotes. */
  quotes?: Quote[]
}

/** `isControl`: the reply to a control recipient. */
export type Quote = { reply: string; isControl: boolean }

export type Limits = {
  /** Concurrent addresses. */
  inFlight: number
  /** A result after this time counts as missing. */
  withinMs: number
}

/**
 * Reads addresses from standard input, one JSON text per line, passes them to `ask` and writes each result as it
 * arrives. When the input ends, because the parent process has all results or has ended, no further address is started
 * and the summary of `finish` is written last.
 */
export function drive(
  ask: (email: string) => Promise<Answer>,
  { inFlight, withinMs }: Limits,
  finish: () => Promise<object> = async () => ({}),
): void {
  const semaphore = createSemaphore(inFlight)
  let isOver = false
  const lines = createInterface({ input: process.stdin })
  lines.on('line', (line) => {
    const email = JSON.parse(line) as string
    void semaphore(async () => {
      if (!isOver) write({ email, ...(await askWithin(ask, email, withinMs)) })
    })
  })
  lines.on('close', () => {
    isOver = true
    void finish().then((summary) => write({ summary }))
  })
}

async function askWithin(ask: (email: string) => Promise<Answer>, email: string, withinMs: number): Promise<Answer> {
  const late = new AbortController()
  try {
    const timeUp = sleep(withinMs, { verdict: 'unknown' as const, evidence: 'no answer in time' }, late)
    return await Promise.race([ask(email), timeUp])
  } catch (error) {
    return { verdict: 'unknown', evidence: String(error) }
  } finally {
    late.abort()
  }
}

function write(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}
