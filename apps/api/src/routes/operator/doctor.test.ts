import type { DoctorReport, Finding, KeptFinding } from '@probity/contract/doctor'
import type { Health } from '@probity/contract/operator'
import { asOwner } from '@probity/database/connect'
import { beginRound, keepFindings } from '@probity/database/findings'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { signUpOperator } from '../../operator/test-operator.ts'
import { signUp, startPeopleApi } from '../../people/test-browser.ts'

const api = await startPeopleApi()
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

const brief = ({ id, status, host, subject }: KeptFinding) => [id, status, host, subject]

test('before anybody has looked there is nothing, and the tile says so', async () => {
  expect(await look()).toEqual({ findings: [], wanted: false })
  expect(await tile()).toMatchObject({ state: 'off', detail: expect.stringContaining('No worker has looked yet') })
})

test('what hosts found is shown with the worst first; what is the same whoever looks is shown once', async () => {
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
    detail: expect.stringContaining('keeps what it has confirmed'),
  })
})

test('since when it is so stays while it is so; what changed is said, and what is gone leaves', async () => {
  const sinceOf = async (id: string) =>
    (await look()).findings.find((finding) => finding.id === id && finding.host !== 'west')?.since_at
  const [before, clock] = [await sinceOf('postgres-durability'), await sinceOf('clock')]
  const changes = await keepFindings(api.db, 'east', [found('postgres-durability', 'fail'), found('clock', 'warn')])
  expect(changes).toEqual([{ check: 'clock', subject: '', was: 'pass', status: 'warn' }])
  expect(await sinceOf('postgres-durability')).toBe(before)
  expect(await sinceOf('clock')).not.toBe(clock)
  expect((await look()).findings.some(({ id }) => id === 'port-25')).toBe(false)
  await keepFindings(api.db, 'east', [found('postgres-durability', 'pass'), found('clock', 'warn')])
  expect(await tile()).toMatchObject({ state: 'ok', detail: 'Nothing is broken. It has 1 piece of advice.' })
})

test('what was found more than a day ago is no longer shown, and a doctor who stays away is missed', async () => {
  await asOwner(api.db, (trx) => sql`update doctor_findings set checked_at = now() - interval '3 hours'`.execute(trx))
  expect(await tile()).toMatchObject({
    state: 'degraded',
    detail: expect.stringContaining('Nobody has looked for hours'),
  })
  await asOwner(api.db, (trx) =>
    sql`update doctor_findings set checked_at = now() - interval '2 days' where host = 'west'`.execute(trx),
  )
  await keepFindings(api.db, 'east', [found('clock', 'pass')])
  expect((await look()).findings.map(brief)).toEqual([['clock', 'pass', 'east', '']])
})

test('each host looks once an hour, and again when an operator asks for it, at most once a minute', async () => {
  expect([
    await beginRound(api.db, 'east'),
    await beginRound(api.db, 'east'),
    await beginRound(api.db, 'west'),
  ]).toEqual([true, false, true])
  expect((await operator.post('/operator/doctor/run')).status).toBe(204)
  expect((await look()).wanted).toBe(true)
  expect([await beginRound(api.db, 'east'), await beginRound(api.db, 'east')]).toEqual([true, false])
  expect((await look()).wanted).toBe(true)
  await keepFindings(api.db, 'east', [found('clock', 'pass')])
  expect((await look()).wanted).toBe(false)
  expect((await operator.post('/operator/doctor/run')).status).toBe(204) // too soon: done once
  expect(await beginRound(api.db, 'east')).toBe(false)
  await asOwner(api.db, async (trx) => {
    await sql`update doctor_runs set began_at = began_at - interval '6 minutes'`.execute(trx)
    await sql`update doctor_requests set requested_at = requested_at - interval '6 minutes'`.execute(trx)
  })
  // East finished its look; west was stopped in the middle of its own.
  expect([await beginRound(api.db, 'east'), await beginRound(api.db, 'west')]).toEqual([false, true])
  await asOwner(api.db, (trx) => sql`update doctor_runs set began_at = began_at - interval '1 hour'`.execute(trx))
  expect(await beginRound(api.db, 'east')).toBe(true)
})

test('nobody else sees it or has anybody look', async () => {
  const other = await signUp(api)
  expect((await other.get('/operator/doctor')).status).toBe(404)
  expect((await other.post('/operator/doctor/run')).status).toBe(404)
})
