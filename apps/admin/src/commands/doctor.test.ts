import type { DoctorFinding } from '@probity/contract/schemas/operators'
import { createTestDatabase } from '@probity/database/connection/test-database'
import { PUBLIC_MAIL } from '@probity/lab/dns/data/public-mail'
import { startDns } from '@probity/lab/dns/start'
import { whenDone } from '@probity/lab/when-done'
import { expect, test } from 'vitest'
import { refusalOf, runAdmin } from '../test-admin.ts'

const { url } = await createTestDatabase()
const dns = await startDns({ names: { ...PUBLIC_MAIL, 'answers.org': { txt: ['there is an org'] } }, faults: {} })
whenDone(() => dns.stop())
const settings = { DNS_SERVERS: `127.0.0.1:${dns.port}` }

test('doctor prints finding, reason and fix, and exits with 1 when a check fails', async () => {
  const { code, stdout, stderr } = await runAdmin(url, settings, 'doctor')
  expect([code, stderr]).toEqual([1, ''])
  expect(stdout).toMatch(/^FAIL {2}postgres-durability: fsync is off/)
  expect(stdout).toContain('      Why: Credits are money.')
  expect(stdout).toContain('           alter system set fsync = on;')
  expect(stdout).toContain('      See: http://127.0.0.1:3000/docs/doctor#postgres-durability')
  expect(stdout).toMatch(/^WARN {2}egress-configured: No egress is configured/m)
  expect(stdout).toMatch(/^ok {4}migrations: All migrations are applied\.$/m)
  expect(stdout).toMatch(/\n\d+ findings: 1 fail, \d+ warn, \d+ unknown, \d+ pass\.\n$/)
})

test('doctor --only runs one group or check, and exits with 0 when no check fails', async () => {
  const redis = await runAdmin(url, settings, 'doctor', '--only', 'redis-eviction', '--json')
  expect([redis.code, redis.stderr]).toEqual([0, ''])
  const { findings } = JSON.parse(redis.stdout) as { findings: DoctorFinding[] }
  expect(findings).toMatchObject([{ id: 'redis-eviction', group: 'platform', status: 'pass', fix: null }])

  const group = await runAdmin(url, settings, 'doctor', '--only', 'dns', '--json')
  const ids = (JSON.parse(group.stdout) as { findings: DoctorFinding[] }).findings.map(({ id }) => id)
  expect(ids.toSorted()).toEqual([
    'dns-speed',
    'dns-tcp',
    'dnssec',
    'own-resolver',
    'resolver-answers',
    'resolver-honest',
  ])
})

test('doctor runs the other checks when PostgreSQL is down', async () => {
  const { code, stdout } = await runAdmin(
    'postgres://nobody@127.0.0.1:1/none',
    settings,
    'doctor',
    '--only',
    'platform',
  )
  expect(code).toBe(0)
  expect(stdout).toMatch(/^\?{4} {2}postgres-durability: Check could not run: .*ECONNREFUSED/m)
  expect(stdout).toMatch(/^ok {4}redis-eviction/m)
})

test('doctor rejects an unknown check and contradictory settings', async () => {
  expect(refusalOf(await runAdmin(url, 'doctor', '--only', 'teeth'))).toMatch(/Unknown group or check "teeth"/)
  const half = await runAdmin(url, { SMTP_HELO_NAME: 'probe.probity.example' }, 'doctor', '--only', 'egress')
  expect([half.code, half.stderr]).toEqual([1, expect.stringContaining('must be set together')])
  const other = await runAdmin(url, { SMTP_HELO_NAME: 'probe.probity.example' }, 'audit')
  expect(other.code).toBe(0) // it does not use mail servers
})
