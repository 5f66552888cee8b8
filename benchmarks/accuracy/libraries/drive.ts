import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSemaphore } from '@probity/concurrency/scheduling'

export type Verdict = 'valid' | 'invalid' | 'risky' | 'unknown'

/** What somebody who was asked says of an address; `evidence` is for people. */
export type Answer = { verdict: Verdict; subStatus?: string; evidence?: string }

export type Limits = {
  /** Addresses at a time. */
  inFlight: number
  /** Who has not answered by then has not answered. */
  withinMs: number
}

/**
 * Reads addresses from standard input, one JSON text a line, puts them to `ask` and writes each answer as it comes. When the
 * input ends, which is when whoever asks has all answers or is gone, nothing more is begun and `finish` has the last word.
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
