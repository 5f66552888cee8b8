import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { SUB_STATUSES, type SubStatus } from '@probity/contract/constants/validations'
import { startDns } from '@probity/lab/dns/start'
import { HOSTILE, startHostile } from '@probity/lab/smtp/hostile/start'
import { afterAll, expect, test, vi } from 'vitest'
import type { Timeouts } from '../connections/open-connection.ts'
import type { LoadReport } from './test-hostile-load.ts'
import { openProber } from './test-mail.ts'

/** How many times every behaviour is met in the timed test; the long run has a hundred. */
const ROUNDS = Number(process.env['HOSTILE_ROUNDS'] ?? 10)
const ROUNDS_AT_ONCE = 2
/** What our own work may take beyond the deadline. */
const GRACE_MS = 500
/** Longer than the longest wait that is worth it, which is 29 units of time. */
const TIMEOUTS = { commandMs: 2_000, quitMs: 500 }
const DEADLINE_MS = 6_000
/** For a machine that is busy with other tests: a stall of seconds is not taken for a server that does not reply. */
const UNHURRIED = { commandMs: 8_000, quitMs: 500 }
const UNHURRIED_DEADLINE_MS = 60_000

const hostile = await startHostile({ timeUnitMs: 20 })
afterAll(() => hostile.stop())
const dns = await startDns({ names: hostile.names, faults: {} })
afterAll(() => dns.stop())

type Meeting = { name: string; subStatus: SubStatus; ms: number }

/** One session with every behaviour at once, by a prober that knows nothing of them yet. */
async function meetAll(deadlineMs: number, timeouts: Partial<Timeouts>): Promise<Meeting[]> {
  const { validateAll, lookUpAll, desk } = openProber({ dnsPort: dns.port, port: hostile.port, timeouts })
  await lookUpAll(Object.keys(HOSTILE).map((name) => `${name}.hostile.example`))
  const meetings = Object.keys(HOSTILE).map(async (name) => {
    const began = performance.now()
    const [validation] = await validateAll([`someone@${name}.hostile.example`], deadlineMs)
    if (validation === undefined) throw new Error('an address without a verdict')
    return { name, subStatus: validation.verdict.subStatus, ms: performance.now() - began }
  })
  const met = await Promise.all(meetings)
  await desk.close()
  return met
}

function expectedOf(name: string): string[] {
  return [HOSTILE[name]?.expected ?? []].flat()
}

test('each hostile behavior gets its sub-status', async () => {
  const met = await meetAll(UNHURRIED_DEADLINE_MS, UNHURRIED)
  expect(met.map(({ name }) => name)).toEqual(Object.keys(HOSTILE))
  expect(met.filter(({ name, subStatus }) => !expectedOf(name).includes(subStatus))).toEqual([])
})

test(`each hostile behavior gets its sub-status within the deadline, ${ROUNDS} times`, {
  tags: ['timed'],
  timeout: 20_000 + ROUNDS * 5_000,
}, async () => {
  const met: Meeting[] = []
  while (met.length < ROUNDS * Object.keys(HOSTILE).length) {
    const rounds = Array.from({ length: Math.min(ROUNDS, ROUNDS_AT_ONCE) }, () => meetAll(DEADLINE_MS, TIMEOUTS))
    met.push(...(await Promise.all(rounds)).flat())
  }
  expect(met.filter(({ name, subStatus }) => !expectedOf(name).includes(subStatus))).toEqual([])
  expect(met.filter(({ ms }) => ms > DEADLINE_MS + GRACE_MS)).toEqual([])
})

test('nobody holds us beyond the deadline, however patient we are, nor makes us condemn a mailbox for it', {
  tags: ['timed'],
}, async () => {
  const deadlineMs = 1_500
  const met = await meetAll(deadlineMs, { commandMs: 60_000 })
  expect(met.filter(({ ms }) => ms > deadlineMs + GRACE_MS)).toEqual([])
  const misread = met.filter(({ name, subStatus }) => ![...expectedOf(name), 'timeout'].includes(subStatus))
  expect(misread).toEqual([])
  const condemned = met.filter(({ subStatus }) => SUB_STATUSES[subStatus].status === 'invalid')
  expect(condemned.flatMap(({ name }) => expectedOf(name)).filter((word) => word !== 'mailbox_not_found')).toEqual([])
})

test('no connection is left behind', async () => {
  await meetAll(DEADLINE_MS, TIMEOUTS)
  await vi.waitFor(() => expect(hostile.countOpen()).toBe(0), 2_000)
})

test('five hundred hostile sessions at once grow the process by 64 MB at most', { tags: ['timed'] }, async () => {
  const script = new URL('./test-hostile-load.ts', import.meta.url).pathname
  const given = { dnsPort: dns.port, port: hostile.port, names: Object.keys(HOSTILE), sessions: 500 }
  const args = ['--expose-gc', script, JSON.stringify(given)]
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 })
  const report = JSON.parse(stdout) as LoadReport
  expect(report.verdicts.filter(([name, subStatus]) => !expectedOf(name).includes(subStatus))).toEqual([])
  expect(report.verdicts.length).toBeGreaterThanOrEqual(500)
  expect(report.slowestMs).toBeLessThan(report.deadlineMs + GRACE_MS)
  expect(report.grownBytes).toBeLessThan(64 * 1_048_576)
})
