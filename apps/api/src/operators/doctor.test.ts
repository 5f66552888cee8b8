import type { Finding } from '@probity/contract/constants/operators'
import type { DoctorReport, Health, StoredFinding } from '@probity/contract/schemas/operators'
import { asOwner } from '@probity/database/connection/connect'
import { beginRound, keepFindings } from '@probity/database/operators/doctor'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { signUp, startUsersApi } from '../testing/test-browser.ts'
import { signUpOperator } from '../testing/test-operator.ts'

const api = await startUsersApi()
const operator = await signUpOperator(api)

const FIX = { says: 'Set it.', lines: ['alter system set fsync = on;'] }
const found = (check: Finding['check'], status: Finding['status'], subject = ''): Finding => ({
  check,
  subject,
  status,
  saw: `It is a ${status}.`,
  fix: status === 'pass' ? null : FIX,
})

async function look(): Promise<DoctorReport> {
  const { status, body } = await operator.get('/operator/doctor')
  expect(status).toBe(200)
  return body as DoctorReport
}

async function tile() {
  const { parts } = (await operator.get('/operator/health')).body as Health
  return parts.find(({ name }) => name === 'Doctor')
}

const brief = ({ id, status, host, subject }: StoredFinding) => [id, status, host, subject]

test('the report is empty and the tile is off before the first run', async () => {
  expect(await look()).toEqual({ findings: [], run_requested: false })
  expect(await tile()).toMatchObject({ state: 'off', detail: expect.stringContaining('No findings yet') })
})

test('findings of all hosts are listed, most severe first; findings about the installation are listed once', async () => {
  await keepFindings(api.db, 'east', [
    found('postgres-durability', 'fail'),
    found('clock', 'pass'),
    found('port-25', 'warn', 'a.example'),
  ])
  await keepFindings(api.db, 'west', [found('postgres-durability', 'fail'), found('clock', 'unknown')])
  const { findings } = await look()
  expect(findings.map(brief)).toEqual([
    ['postgres-durability', 'fail', null, ''],
    ['port-25', 'warn', 'east', 'a.example'],
    ['clock', 'unknown', 'west', ''],
    ['clock', 'pass', 'east', ''],
  ])
  expect(findings[0]).toMatchObject({
    title: expect.any(String),
    why: expect.stringContaining('money'),
    fix: FIX,
    docs: '/docs/doctor#postgres-durability',
  })
  expect(await tile()).toMatchObject({
    state: 'degraded',
    detail: expect.stringContaining('PostgreSQL durability settings are on'),
  })
})

test('`since` is kept while the status is unchanged; changes are reported; missing findings are removed', async () => {
  const sinceOf = async (id: string) =>
    (await look()).findings.find((finding) => finding.id === id && finding.host !== 'west')?.since_at
  const [before, clock] = [await sinceOf('postgres-durability'), await sinceOf('clock')]
  const changes = await keepFindings(api.db, 'east', [found('postgres-durability', 'fail'), found('clock', 'warn')])
  expect(changes).toEqual([{ check: 'clock', subject: '', was: 'pass', status: 'warn' }])
  expect(await sinceOf('postgres-durability')).toBe(before)
  expect(await sinceOf('clock')).not.toBe(clock)
  expect((await look()).findings.some(({ id }) => id === 'port-25')).toBe(false)
  await keepFindings(api.db, 'east', [found('postgres-durability', 'pass'), found('clock', 'warn')])
  expect(await tile()).toMatchObject({ state: 'ok', detail: 'No failing checks. 1 warning.' })
})

test('findings older than a day are not shown, and findings older than two hours degrade the Doctor part', async () => {
  await asOwner(api.db, (trx) => sql`update doctor_findings set checked_at = now() - interval '3 hours'`.execute(trx))
  expect(await tile()).toMatchObject({
    state: 'degraded',
    detail: expect.stringContaining('No findings for more than two hours'),
  })
  await asOwner(api.db, (trx) =>
    sql`update doctor_findings set checked_at = now() - interval '2 days' where host = 'west'`.execute(trx),
  )
  await keepFindings(api.db, 'east', [found('clock', 'pass')])
  expect((await look()).findings.map(brief)).toEqual([['clock', 'pass', 'east', '']])
})

test('each host runs the checks hourly and on request, at most once a minute', async () => {
  expect([
    await beginRound(api.db, 'east'),
    await beginRound(api.db, 'east'),
    await beginRound(api.db, 'west'),
  ]).toEqual([true, false, true])
  expect((await operator.post('/operator/doctor/run')).status).toBe(204)
  expect((await look()).run_requested).toBe(true)
  expect([await beginRound(api.db, 'east'), await beginRound(api.db, 'east')]).toEqual([true, false])
  expect((await look()).run_requested).toBe(true)
  await keepFindings(api.db, 'east', [found('clock', 'pass')])
  expect((await look()).run_requested).toBe(false)
  expect((await operator.post('/operator/doctor/run')).status).toBe(204) // within a minute: one run
  expect(await beginRound(api.db, 'east')).toBe(false)
  await asOwner(api.db, async (trx) => {
    await sql`update doctor_runs set began_at = began_at - interval '6 minutes'`.execute(trx)
    await sql`update doctor_requests set requested_at = requested_at - interval '6 minutes'`.execute(trx)
  })
  // East finished its run; west was stopped during its run.
  expect([await beginRound(api.db, 'east'), await beginRound(api.db, 'west')]).toEqual([false, true])
  await asOwner(api.db, (trx) => sql`update doctor_runs set began_at = began_at - interval '1 hour'`.execute(trx))
  expect(await beginRound(api.db, 'east')).toBe(true)
})

test('users who are no operators can neither read findings nor request a run', async () => {
  const other = await signUp(api)
  expect((await other.get('/operator/doctor')).status).toBe(404)
  expect((await other.post('/operator/doctor/run')).status).toBe(404)
})
