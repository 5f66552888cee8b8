import { asOwner } from '@probity/database/connection/connect'
import { makeDoctorTicket } from '@probity/database/operators/doctor'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi } from '../testing/test-api.ts'

const { app, db } = await startTestApi()

async function send(ticket: string | undefined, bytes: number) {
  const headers = {
    'content-type': 'application/octet-stream',
    ...(ticket !== undefined && { 'probity-doctor': ticket }),
  }
  return app.inject({ method: 'POST', url: '/app/api/doctor/upload', headers, payload: Buffer.alloc(bytes) })
}

test('a valid doctor ticket returns the number of bytes received', async () => {
  const answer = await send(await makeDoctorTicket(db), 8_000_000)
  expect([answer.statusCode, answer.json()]).toEqual([200, { bytes: 8_000_000 }])
})

test('a body above the size limit returns 413', async () => {
  expect((await send(await makeDoctorTicket(db), 9_000_001)).statusCode).toBe(413)
})

test('a missing, forged or expired ticket returns 404', async () => {
  const good = await makeDoctorTicket(db)
  const old = await makeDoctorTicket(db, Date.now() - 61_000)
  const [at, signature] = good.split('.')
  for (const ticket of [undefined, '', `${Number(at) + 1}.${signature}`, `${at}.`, old]) {
    expect((await send(ticket, 10)).statusCode).toBe(404)
    const events = await app.inject({ url: '/app/api/doctor/events', headers: { 'probity-doctor': ticket ?? '' } })
    expect(events.statusCode).toBe(404)
  }
})

test('the event stream sends its events one by one', async () => {
  const answer = await app.inject({
    url: '/app/api/doctor/events',
    headers: { 'probity-doctor': await makeDoctorTicket(db) },
  })
  expect(answer.headers['content-type']).toMatch(/^text\/event-stream/)
  expect(answer.body.match(/data: \d/g)).toEqual(['data: 1', 'data: 2', 'data: 3', 'data: 4'])
  expect(answer.body).toContain('event: end')
})

test('a forged ticket costs no query', async () => {
  const good = await makeDoctorTicket(db)
  expect((await send(good, 10)).statusCode).toBe(200)
  // A query for the secret would fail from now on.
  await asOwner(db, (trx) => sql`delete from secrets where name = 'doctor'`.execute(trx))
  expect((await send(`${Date.now()}.x`, 10)).statusCode).toBe(404)
  expect((await send(good, 10)).statusCode).toBe(200)
})
