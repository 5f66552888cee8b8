import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { SUB_STATUSES, type SubStatus } from '@probity/contract/constants/validations'
import { startDns } from '@probity/lab/dns/start'
import { HOSTILE, startHostile } from '@probity/lab/smtp/hostile/start'
import { afterAll, expect, test, vi } from 'vitest'
import type { Timeouts } from '../connections/open-connection.ts'
import type { LoadReport } from './test-hostile-load.ts'
import { openProber } from './test-mail.ts'

/** Rounds per behavior in the timed test; the long run has a hundred. */
const ROUNDS = Number(process.env['HOSTILE_ROUNDS'] ?? 10)
const ROUNDS_AT_ONCE = 2
/** The time for our own work beyond the deadline. */
const GRACE_MS = 500
/** Longer than the longest delay after which a server still replies, 29 time units. */
const TIMEOUTS = { greetingMs: 2_000, commandMs: 2_000, quitMs: 500 }
const DEADLINE_MS = 6_000
/** For a machine that runs other tests: a stall of seconds must not look like a server that does not reply. */
const UNHURRIED = { greetingMs: 8_000, commandMs: 8_000, quitMs: 500 }
const UNHURRIED_DEADLINE_MS = 60_000

const hostile = await startHostile({ timeUnitMs: 20 })
afterAll(() => hostile.stop())
const dns = await startDns({ names: hostile.names, faults: {} })
afterAll(() => dns.stop())

type HostileResult = { name: string; subStatus: SubStatus; ms: number }

/** One session with each behavior, all at once, by a prober with an empty cache. */
async function probeAll(deadlineMs: number, timeouts: Partial<Timeouts>): Promise<HostileResult[]> {
  const { validateAll, lookUpAll, desk } = openProber({ dnsPort: dns.port, port: hostile.port, timeouts })
  await lookUpAll(Object.keys(HOSTILE).map((name) => `${name}.hostile.example`))
  const running = Object.keys(HOSTILE).map(async (name) => {
    const began = performance.now()
    const [validation] = await validateAll([`someone@${name}.hostile.example`], deadlineMs)
    if (validation === undefined) throw new Error('an address without a verdict')
    return { name, subStatus: validation.verdict.subStatus, ms: performance.now() - began }
  })
  const results = await Promise.all(running)
  await desk.close()
  return results
}

function expectedOf(name: string): string[] {
  return [HOSTILE[name]?.expected ?? []].flat()
}

test('each hostile behavior gets its sub-status', async () => {
  const results = await probeAll(UNHURRIED_DEADLINE_MS, UNHURRIED)
  expect(results.map(({ name }) => name)).toEqual(Object.keys(HOSTILE))
  expect(results.filter(({ name, subStatus }) => !expectedOf(name).includes(subStatus))).toEqual([])
})

test(`each hostile behavior gets its sub-status within the deadline, ${ROUNDS} times`, {
  tags: ['timed'],
  timeout: 20_000 + ROUNDS * 5_000,
}, async () => {
  const results: HostileResult[] = []
  while (results.length < ROUNDS * Object.keys(HOSTILE).length) {
    const rounds = Array.from({ length: Math.min(ROUNDS, ROUNDS_AT_ONCE) }, () => probeAll(DEADLINE_MS, TIMEOUTS))
    results.push(...(await Promise.all(rounds)).flat())
  }
  expect(results.filter(({ name, subStatus }) => !expectedOf(name).includes(subStatus))).toEqual([])
  expect(results.filter(({ ms }) => ms > DEADLINE_MS + GRACE_MS)).toEqual([])
})

test('no hostile server delays a result beyond the deadline or makes an address invalid by a delay', {
  tags: ['timed'],
}, async () => {
  const deadlineMs = 1_500
  const results = await probeAll(deadlineMs, { greetingMs: 60_000, commandMs: 60_000 })
  expect(results.filter(({ ms }) => ms > deadlineMs + GRACE_MS)).toEqual([])
  const unexpected = results.filter(({ name, subStatus }) => ![...expectedOf(name), 'timeout'].includes(subStatus))
  expect(unexpected).toEqual([])
  const invalid = results.filter(({ subStatus }) => SUB_STATUSES[subStatus].status === 'invalid')
  expect(invalid.flatMap(({ name }) => expectedOf(name)).filter((word) => word !== 'mailbox_not_found')).toEqual([])
})

test('all connections are closed after the probes', async () => {
  await probeAll(DEADLINE_MS, TIMEOUTS)
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
