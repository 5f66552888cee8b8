import { setTimeout as sleep } from 'node:timers/promises'
import { PUBLIC_SANDBOX_KEY } from '@probity/contract/constants/sandbox'
import type { BenchInstance } from '../environment/instance.ts'
import { openAccount, uploadList } from '../environment/jobs.ts'
import { isAccepted, type Load, waitOf } from '../environment/load.ts'
import type { Answered } from '../environment/load-process.ts'
import { keepConnections, readInFlight, readMemoryMb, send, sendUnread, watchLiveness } from './clients.ts'

export type AbuseTarget = BenchInstance & { load: Load; metricsUrl: string }
export type Limit = { atMost: number } | { atLeast: number }

type Experiment = {
  name: string
  says: string
  /** The figures of the experiment, each with its limit. */
  limits: Record<string, Limit>
  run(target: AbuseTarget, cleanUp: AsyncDisposableStack): Promise<Record<string, number>>
}

export const LARGE_PATH = '/docs/api/js/scalar.js'
const LARGE_GET = `GET ${LARGE_PATH} HTTP/1.1\r\nHost: x\r\n\r\n`
const SMALL_GET = 'GET /x HTTP/1.1\r\nHost: x\r\n\r\n'
const HALF_POST = 'POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{'

/** The attacker's address. Other clients have addresses of 127.1.0.0/16 (source-addresses.ts). */
const ATTACKER = '127.0.0.1'
/** For experiments that need more unread responses than one network may have. */
const ATTACKERS = [ATTACKER, '127.0.0.2']

/** Requests of other clients that were not served; status 0 is a broken connection. */
function countRefused(answered: Answered[]): number {
  const refused = answered.filter((one) => !isAccepted(one))
  for (const [status, group] of Map.groupBy(refused, (one) => `${one.kind} ${one.status}`)) {
    process.stderr.write(`  not served: ${group.length} of ${answered.length} (${status})\n`)
  }
  return refused.length
}
const validationsOf = (answered: Answered[]) => answered.filter(({ kind }) => kind === 'single' || kind === 'recent')

/** Each experiment is one attack that other clients must hardly notice. Further experiments are added here. */
export const ABUSE_EXPERIMENTS: Experiment[] = [
  {
    name: 'n1',
    says: '900 pipelined requests behind an unread response on one connection',
    limits: { n1_refused: { atMost: 0 }, n1_slots_lost: { atMost: 0 } },
    async run({ url, load, metricsUrl }) {
      const socket = sendUnread(url, ATTACKER, LARGE_GET + SMALL_GET.repeat(900))
      const answered = await load(16, 8)
      socket.destroy()
      return { n1_refused: countRefused(answered), n1_slots_lost: await settled(() => readInFlight(metricsUrl), 0) }
    },
  },
  {
    name: 'n2',
    says: '100 unread responses of 4 MB',
    limits: { n2_memory_mb: { atMost: 150 } },
    async run({ url, pids, load }, cleanUp) {
      const before = readMemoryMb(pids)
      const sockets = Array.from({ length: 100 }, (_, n) => sendUnread(url, ATTACKERS[n % 2] ?? '', LARGE_GET))
      cleanUp.defer(() => {
        for (const socket of sockets) socket.destroy()
      })
      await load(20, 4)
      return { n2_memory_mb: readMemoryMb(pids) - before }
    },
  },
  {
    name: 'h2',
    says: '1,000 half-sent bodies and 1,000 unread responses of one network, replaced when they are closed',
    limits: { h2_refused: { atMost: 0 }, p99_ms_other: { atMost: 500 } },
    async run({ url, load }, cleanUp) {
      for (const message of [HALF_POST, LARGE_GET]) {
        const flood = keepConnections({ url, from: ATTACKER, message, count: 1_000 })
        cleanUp.defer(() => flood.stop())
      }
      await sleep(2_000) // from here on both clients are at the limits of their network
      const answered = await load(50, 20)
      return { h2_refused: countRefused(answered), p99_ms_other: waitOf(0.99, validationsOf(answered)) }
    },
  },
  {
    name: 'h3',
    says: '100 requests that wait for one pending validation, with a timeout of 2 s',
    limits: { h3_answered: { atLeast: 100 }, h3_ms_max: { atMost: 3_000 } },
    async run({ url, key, pids }, cleanUp) {
      process.kill(pids['worker'] ?? 0, 'SIGSTOP') // so that the validation stays pending
      cleanUp.defer(() => void process.kill(pids['worker'] ?? 0, 'SIGCONT'))
      const validate = (timeout: number) =>
        send(`${url}/api/v1/validation/single`, {
          method: 'POST',
          headers: { 'x-api-key': key, 'content-type': 'application/json' },
          body: JSON.stringify({ email: 'pending@two-mx.example', timeout }),
          signal: AbortSignal.timeout(20_000),
        })
      await validate(1)
      const began = performance.now()
      const ended = await Promise.allSettled(Array.from({ length: 100 }, () => validate(2)))
      const statuses = ended.map((one) => (one.status === 'fulfilled' ? one.value : 0))
      return {
        h3_answered: statuses.filter((status) => status === 200).length,
        h3_ms_max: performance.now() - began,
      }
    },
  },
  {
    name: 'h4',
    says: 'feedback reports with 10,000 long internationalized addresses, by the public sandbox key and by a key of an account',
    limits: { h4_wait_ms: { atMost: 200 } },
    async run({ url, key }) {
      const body = JSON.stringify({ messages: Array.from({ length: 10_000 }, (_, n) => longOutcome(n)) })
      const waits = watchLiveness(url)
      for (const one of [PUBLIC_SANDBOX_KEY, key]) {
        const headers = { 'x-api-key': one, 'content-type': 'application/json' }
        await send(`${url}/api/v1/feedback`, { method: 'POST', headers, body })
      }
      return { h4_wait_ms: await waits.stop() }
    },
  },
  {
    name: 'm8',
    says: '60 loops that read a large upload again, while another account uploads',
    limits: { m8_refused: { atMost: 0 } },
    async run({ url, key, databaseUrl }, cleanUp) {
      const { upload_id } = await uploadList({ url, key }, wideList(100_000))
      const stop = new AbortController()
      cleanUp.defer(() => stop.abort())
      const loops = Array.from({ length: 60 }, () =>
        readAgain(`${url}/api/v1/bulk/uploads/${upload_id}`, key, stop.signal),
      )
      await sleep(3_000)
      const other = { url, key: (await openAccount(databaseUrl, ['jobs:write'])).key }
      let refused = 0
      for (let n = 0; n < 10; n += 1) {
        await uploadList(other, `email\nuser${n}@example.com\n`).catch(() => (refused += 1))
      }
      stop.abort()
      await Promise.all(loops)
      return { m8_refused: refused }
    },
  },
]

/** 260 bytes in UTF-8, each of which is expensive in the conversion of internationalized domain names. */
function longOutcome(n: number) {
  const label = `${'ünïcödé'.repeat(3)}${n}`
  return { email: `grüße${n}@${[label, label, label, label].join('.')}.example`, delivery: 'delivered' }
}

/** About 480 bytes per row. */
function wideList(rows: number): string {
  const padding = 'x'.repeat(450)
  const lines = Array.from({ length: rows }, (_, n) => `user${n}@example.com,${padding}`)
  return `email,note\n${lines.join('\n')}\n`
}

async function readAgain(path: string, key: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const status = await send(path, { headers: { 'x-api-key': key }, signal }).catch(() => 0) // aborted by the signal, or rejected
    if (status !== 200) await sleep(100)
  }
}

const SETTLED_WITHIN_MS = 10_000

/** The figure once it has its expected value, or its value at the timeout. */
async function settled(read: () => Promise<number>, expected: number): Promise<number> {
  for (const deadline = Date.now() + SETTLED_WITHIN_MS; Date.now() < deadline; await sleep(100)) {
    if ((await read()) === expected) break
  }
  return read()
}
