import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { stopChild } from '@probity/lab/services/daemon'
import type { WorldAddress } from '@probity/lab/simulation/population'
import { ADDRESS_BASE, type Place } from '../environment/simulation.ts'
import type { Answer, Limits } from './libraries/drive.ts'
import type { OurTask } from './libraries/probity.ts'

/** Who is asked: a script, and what it is told. */
export type Asker = { script: string; task: object }

export type Asked = {
  answers: Map<string, Answer>
  seconds: number
  connections: number
  /** What the script counted. */
  summary: Record<string, number>
}

/** Us, where the world is at hand. */
export function ourselves({ dnsPort, smtpPort }: Place, limits: Limits): Asker {
  const task: OurTask = { ...limits, dnsPort, smtpPort, addressBase: ADDRESS_BASE }
  return { script: 'accuracy/libraries/probity.ts', task }
}

/** Puts addresses to a script at a place, collects what it says and closes the place. Who is late is not waited for. */
export async function askIn(place: Place, asker: Asker, addresses: WorldAddress[], withinMs: number): Promise<Asked> {
  try {
    const emails = addresses.map(({ email }) => email)
    return { ...(await askAll(place, asker, emails, withinMs)), connections: await place.connections() }
  } finally {
    await place.stop()
  }
}

/** After the last answer that counts: long enough for a question of ours that is still open. */
const FINISHES_WITHIN_MS = 45_000

async function askAll(
  place: Place,
  { script, task }: Asker,
  emails: string[],
  withinMs: number,
): Promise<Omit<Asked, 'connections'>> {
  const answers = new Map<string, Answer>()
  const child = place.start(script, task)
  const { stdin, stdout } = child
  if (!stdin || !stdout) throw new Error('A script without input or output.')
  stdin.on('error', () => {}) // it may have ended before it was told everything
  const ended = once(stdout, 'close')
  const began = performance.now()
  let endedAt = began
  let summary: Asked['summary'] | undefined
  const timers = [
    setTimeout(() => stdin.end(), withinMs),
    setTimeout(() => child.kill('SIGKILL'), withinMs + FINISHES_WITHIN_MS),
  ]

  createInterface({ input: stdout }).on('line', (line) => {
    const said = JSON.parse(line) as { email: string; summary?: Asked['summary'] } & Answer
    if (said.summary) {
      summary = said.summary
      child.kill() // a peer may keep connections open that nobody needs any more
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
