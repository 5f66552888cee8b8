import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { stopChild } from '@probity/lab/services/daemon'
import type { SimulatedAddress } from '@probity/lab/simulation/population'
import { ADDRESS_BASE, type Place } from '../environment/simulation.ts'
import type { Answer, Limits } from './libraries/drive.ts'
import type { OurTask } from './libraries/probity.ts'

/** A validator: a script and its task. */
export type Validator = { script: string; task: object }

export type ValidatorRun = {
  answers: Map<string, Answer>
  seconds: number
  connections: number
  /** Counters of the script. */
  summary: Record<string, number>
}

/** The engine of Probity, with the ports of the simulation. */
export function ownValidator({ dnsPort, smtpPort }: Place, limits: Limits): Validator {
  const task: OurTask = { ...limits, dnsPort, smtpPort, addressBase: ADDRESS_BASE }
  return { script: 'accuracy/libraries/probity.ts', task }
}

/**
 * Sends addresses to a script in the network of a simulation, collects its results and stops the simulation. Late
 * results are ignored.
 */
export async function runValidator(
  place: Place,
  asker: Validator,
  addresses: SimulatedAddress[],
  withinMs: number,
): Promise<ValidatorRun> {
  try {
    const emails = addresses.map(({ email }) => email)
    return { ...(await askAll(place, asker, emails, withinMs)), connections: await place.connections() }
  } finally {
    await place.stop()
  }
}

/** Time after the last counted result: long enough for a probe that is still open. */
const FINISHES_WITHIN_MS = 45_000

async function askAll(
  place: Place,
  { script, task }: Validator,
  emails: string[],
  withinMs: number,
): Promise<Omit<ValidatorRun, 'connections'>> {
  const answers = new Map<string, Answer>()
  const child = place.start(script, task)
  const { stdin, stdout } = child
  if (!stdin || !stdout) throw new Error('A script without input or output.')
  stdin.on('error', () => {}) // it may have ended before it received all addresses
  const ended = once(stdout, 'close')
  const began = performance.now()
  let endedAt = began
  let summary: ValidatorRun['summary'] | undefined
  const timers = [
    setTimeout(() => stdin.end(), withinMs),
    setTimeout(() => child.kill('SIGKILL'), withinMs + FINISHES_WITHIN_MS),
  ]

  createInterface({ input: stdout }).on('line', (line) => {
    const said = JSON.parse(line) as { email: string; summary?: ValidatorRun['summary'] } & Answer
    if (said.summary) {
      summary = said.summary
      child.kill() // a library may keep unused connections open
      return
    }
    answers.set(said.email, said)
    endedAt = performance.now()
    if (answers.size === emails.length) stdin.end()
  })
  try {
    stdin.write(emails.map((email) => `${JSON.stringify(email)}\n`).join(''))
    await ended
  } finally {
    for (const timer of timers) clearTimeout(timer)
    await stopChild(child, 'SIGTERM')
  }
  if (summary === undefined) throw new Error(`${script} ended before it was told to.`)
  return { answers, summary, seconds: Math.round((endedAt - began) / 100) / 10 }
}
