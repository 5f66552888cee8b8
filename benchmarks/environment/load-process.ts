import { setTimeout as sleep } from 'node:timers/promises'
import { GIVE_UP_MS, openClients, type ValidatorRun } from './load-client.ts'

/**
 * Clients in their own process that send requests at a fixed rate, independent of earlier responses. The latency of a
 * request is counted from the time at which it was due, so that a slow generator does not make the service look faster.
 */
export type LoadTask = { url: string; key: string; rate: number; seconds: number; round: number }
/** The outcome of one request. `due` is in milliseconds after the start; status 0 is a broken connection. */
export type Answered = { kind: LoadKind; due: number; ms: number; status: number; hasRetryAfter: boolean }
export type LoadKind = keyof typeof KINDS

/** The mix per hundred requests: new addresses, a repeated address, a read, and small bulk requests. */
const KINDS = {
  single: { share: 70, ask: (name: string) => post('/api/v1/validation/single', { email: addressOf(name) }) },
  recent: { share: 15, ask: () => post('/api/v1/validation/single', { email: 'ada@null-mx.example' }) },
  read: { share: 10, ask: (): ValidatorRun => ({ method: 'GET', path: '/api/v1/account' }) },
  list: { share: 5, ask: (name: string) => post('/api/v1/validation/bulk', { emails: listOf(name) }) },
} as const

const LIST_LENGTH = 10
const TICK_MS = 5
/** Limit of pending requests, to keep the memory use of the generator small. */
const OUTSTANDING_MAX = 20_000

const addressOf = (name: string) => `${name}@two-mx.example`
const listOf = (name: string) => Array.from({ length: LIST_LENGTH }, (_, n) => addressOf(`${name}n${n}`))

function post(path: string, body: object): ValidatorRun {
  return { method: 'POST', path, body: JSON.stringify(body) }
}

function kindOf(n: number): LoadKind {
  // An order that mixes the kinds well: 37 and 100 have no common divisor.
  let place = (n * 37) % 100
  for (const [kind, { share }] of Object.entries(KINDS) as [LoadKind, { share: number }][]) {
    if (place < share) return kind
    place -= share
  }
  return 'single'
}

let clients: ReturnType<typeof openClients> | undefined

async function runLoad({ url, key, rate, seconds, round }: LoadTask): Promise<Answered[]> {
  clients ??= openClients(url, key) // kept from one round to the next, as frequent clients keep their connections
  const { send } = clients
  const answered: Answered[] = []
  const began = performance.now()
  let outstanding = 0

  function come(n: number): void {
    const kind = kindOf(n)
    const due = (n * 1_000) / rate
    outstanding += 1
    send(KINDS[kind].ask(`r${round}c${n}`), (said) => {
      outstanding -= 1
      answered.push({ kind, due, ms: performance.now() - began - due, ...said })
    })
  }

  const total = Math.round(rate * seconds)
  for (let next = 0; next < total; ) {
    const due = Math.min(total, Math.floor(((performance.now() - began) * rate) / 1_000) + 1)
    for (; next < due && outstanding < OUTSTANDING_MAX; next += 1) come(next)
    await sleep(TICK_MS)
  }
  for (let waited = 0; outstanding > 0 && waited < GIVE_UP_MS; waited += TICK_MS) await sleep(TICK_MS)
  return answered
}

process.on('message', (task: LoadTask) => {
  void runLoad(task).then((answered) => process.send?.(answered))
})
