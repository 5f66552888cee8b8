import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { stopChild } from '@probity/lab/services/daemon'
import type { SimulatedAddress } from '@probity/lab/simulation/population'
import type { RecipientRecord } from '@probity/lab/simulation/recipient-record'
import { ADDRESS_BASE, type Place } from '../environment/simulation.ts'
import type { Answer, Limits } from './libraries/drive.ts'
import type { OurTask } from './libraries/probity.ts'

/** A validator: a script and its task. */
export type Validator = { script: string; task: object }

export type ValidatorRun = {
  answers: Map<string, Answer>
  seconds: number
  connections: number
  recipients: RecipientRecord
  /** Counters of the script. */
  summary: Record<string, number>
}

type OwnOptions = Limits & { retriesUnanswered?: boolean; suspendS?: number | undefined; timeFactor?: number }

/** The engine of Probity, with the ports of the simulation. */
export function ownValidator({ dnsPort, smtpPort }: Place, options: OwnOptions): Validator {
  const { retriesUnanswered = false, suspendS, timeFactor = 1 } = options
  const own = { retriesUnanswered, suspendS, timeFactor }
  const task: OurTask = { ...options, ...own, dnsPort, smtpPort, addressBase: ADDRESS_BASE }
  return { script: 'accuracy/libraries/probity.ts', task }
}

/** The addresses of a run, in rounds, and its time limit. */
type Load = { rounds: SimulatedAddress[][]; withinMs: number }

/** Longer than an idle connection is kept, and with a short first round half a period of a server with outages. */
const BETWEEN_ROUNDS_MS = 2_500

/**
 * Sends addresses to a script in the network of a simulation, collects its results and stops the simulation. Late
 * results are ignored.
 */
export async function runValidator(place: Place, asker: Validator, load: Load): Promise<ValidatorRun> {
  try {
    const asked = await askAll(place, asker, load)
    return { ...asked, connections: await place.connections(), recipients: await place.recipients() }
  } finally {
    await place.stop()
  }
}

/** Time after the last counted result: long enough for a probe that is still open. */
const FINISHES_WITHIN_MS = 45_000

async function askAll(
  place: Place,
  { script, task }: Validator,
  { rounds, withinMs }: Load,
): Promise<Omit<ValidatorRun, 'connections' | 'recipients'>> {
  const answers = new Map<string, Answer>()
  const child = place.start(script, task)
  const { stdin, stdout } = child
  if (!stdin || !stdout) throw new Error('A script without input or output.')
  stdin.on('error', () => {}) // it may have ended before it received all addresses
  const ended = once(stdout, 'close')
  const began = performance.now()
  let endedAt = began
  let summary: ValidatorRun['summary'] | undefined
  const timers: NodeJS.Timeout[] = [
    setTimeout(() => stdin.end(), withinMs),
    setTimeout(() => child.kill('SIGKILL'), withinMs + FINISHES_WITHIN_MS),
  ]

  const waiting = [...rounds]
  let sent = 0
  const sendRound = () => {
    const round = waiting.shift()
    if (round === undefined || !stdin.writable) return void stdin.end()
    sent += round.length
    stdin.write(round.map(({ email }) => `${JSON.stringify(email)}\n`).join(''))
  }

  createInterface({ input: stdout }).on('line', (line) => {
    const said = JSON.parse(line) as { email: string; summary?: ValidatorRun['summary'] } & Answer
    if (said.summary) {
      summary = said.summary
      child.kill() // a library may keep unused connections open
      return
    }
    answers.set(said.email, said)
    endedAt = performance.now()
    if (answers.size === sent) timers.push(setTimeout(sendRound, waiting.length > 0 ? BETWEEN_ROUNDS_MS : 0))
  })
  try {
    sendRound()
    await ended
  } finally {
    for (const timer of timers) clearTimeout(timer)
    await stopChild(child, 'SIGTERM')
  }
  if (summary === undefined) throw new Error(`${script} ended before it was told to.`)
  return { answers, summary, seconds: Math.round((endedAt - began) / 100) / 10 }
}
