import { setTimeout as sleep } from 'node:timers/promises'
import type { Account } from '@probity/contract/schemas/accounts'
import type { ValidationResult } from '@probity/contract/schemas/validations/single'
import { SLOW_STOPS, STOPS } from './data/stops.ts'
import { pickExamples } from './examples.ts'
import { CREDITS, type Demo } from './product.ts'
import { describeResult, HEADING, readReply } from './row.ts'

export type Screen = { width: number; write(line: string): void }

type Answered = { result: ValidationResult; charged: number }

/** The maximum of the API, and longer than the probe timeout of a server that never responds. */
const TIMEOUT_S = 30

/**
 * Greylisting also defers the control recipient of the catch-all test, so the verdict needs a second attempt. A request before
 * that attempt would be charged again.
 */
const SECOND_ROUND_MS = 10_000
const COLLECT_TRIES = 3

/** Validates one address for each verdict and prints the results. Returns whether all verdicts are correct in the simulation. */
export async function takeTour(demo: Demo, screen: Screen, signal: AbortSignal): Promise<boolean> {
  const { simulation } = demo.simulation
  const show = ({ result }: Answered) => screen.write(describeResult(result, screen.width))
  const slow = pickExamples(simulation, SLOW_STOPS, 0).map(({ email }) => begin(demo, email, signal))

  const first: Answered[] = []
  const take = async (coming: Promise<Answered>) => {
    const answer = await coming
    first.push(answer)
    show(answer)
  }
  screen.write(HEADING)
  for (const { email } of pickExamples(simulation, STOPS, 0)) await take(ask(demo, email, signal))
  for (const { answer } of slow) await take(answer)
  screen.write('\nGreylisted addresses, retried a few seconds later:\n')
  const collected = (await Promise.all(slow.map((one) => one.collected))).filter((answer) => answer !== undefined)
  for (const answer of collected) show(answer)

  const final = [...first.filter(({ result }) => !isPutOff(result)), ...collected]
  const right = final.filter(({ result }) => isTrue(demo, result)).length
  screen.write(`\n${await sumUp(demo, { first, collected, right }, signal)}`)
  return right === first.length
}

/** Validates an address, and again at its retry time if the result is deferred. */
function begin(demo: Demo, email: string, signal: AbortSignal) {
  const answer = ask(demo, email, signal)
  const collected = answer.then(({ result }) => (isPutOff(result) ? collect(demo, result, signal) : undefined))
  collected.catch(() => {}) // the error is reported when the promise is awaited, which may be later
  return { answer, collected }
}

function isPutOff({ sub_status: reason, retry_at }: ValidationResult): boolean {
  return reason === 'greylisted' && retry_at !== null
}

async function ask({ url, key }: Demo, email: string, stop: AbortSignal): Promise<Answered> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout((TIMEOUT_S + 5) * 1_000)])
  const answer = await fetch(`${url}/api/v1/validation/single`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, timeout: TIMEOUT_S }),
    signal,
  })
  if (!answer.ok) throw new Error(`the api answered ${answer.status}: ${await answer.text()}`)
  return { result: (await answer.json()) as ValidationResult, charged: Number(answer.headers.get('credits-charged')) }
}

async function collect(demo: Demo, { email, retry_at }: ValidationResult, signal: AbortSignal): Promise<Answered> {
  let retryAt = Date.parse(retry_at ?? '')
  for (let tries = 1; ; tries += 1) {
    await sleep(Math.max(0, retryAt - Date.now()) + SECOND_ROUND_MS, undefined, { signal })
    const answer = await ask(demo, email, signal)
    if (answer.result.retry_at === null || tries === COLLECT_TRIES) return answer
    retryAt = Date.parse(answer.result.retry_at)
  }
}

function isTrue({ simulation: { simulation } }: Demo, { email, sub_status: reason }: ValidationResult): boolean {
  return simulation.expected(email).verdicts.some(({ subStatus }) => subStatus === reason)
}

type Seen = { first: Answered[]; collected: Answered[]; right: number }

async function sumUp(demo: Demo, { first, collected, right }: Seen, signal: AbortSignal): Promise<string> {
  const used = first.length + collected.reduce((sum, { charged }) => sum + charged, 0)
  const answered = first.filter(({ result }) => result.evidence.some(({ detail }) => readReply(detail) !== undefined))
  const left = await waitForRefunds(demo, used - countUnknown(first, collected), signal)
  return [
    `${first.length} addresses, ${right} correct verdicts.`,
    `${demo.simulation.connections()} connections to mail servers, which replied for ${answered.length} of the addresses; no message was sent.`,
    `${CREDITS - left} credits charged, ${used - (CREDITS - left)} refunded because the verdict stayed unknown.`,
  ].join('\n')
}

function countUnknown(first: Answered[], collected: Answered[]): number {
  const final = [...first.filter(({ result }) => !isPutOff(result)), ...collected]
  return final.filter(({ result }) => result.status === 'unknown').length
}

const REFUND_TRIES = 30

/** The available credits once at most `kept` are charged: deferred addresses are refunded after their last attempt. */
async function waitForRefunds({ url, key }: Demo, kept: number, signal: AbortSignal): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const answer = await fetch(`${url}/api/v1/account`, { headers: { 'X-API-Key': key }, signal })
    const { available } = ((await answer.json()) as Account).credits
    if (CREDITS - available <= kept || tries === REFUND_TRIES) return available
    await sleep(500, undefined, { signal })
  }
}
