import { setImmediate as nextTurn } from 'node:timers/promises'
import { asOwner } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openBrowser, PASSWORD, signUp, startUsersApi } from '../../testing/test-browser.ts'

const api = await startUsersApi()

type Listed = { id: string; is_current: boolean; last_seen_at: string }

test('a user lists the own sessions and ends a session of another browser', async () => {
  const ada = await signUp(api)
  const phone = openBrowser(api.app)
  const credentials = { email: ada.email, password: PASSWORD }
  expect((await phone.post('/auth/sign-in/email', credentials)).status).toBe(200)

  const { body, text } = await ada.get('/sessions')
  const sessions = body['sessions'] as Listed[]
  expect(sessions.map((one) => one.is_current)).toEqual([true, false])
  expect(sessions[1]).toMatchObject({ ip_address: phone.ip, last_seen_at: expect.stringMatching(/^20.*Z$/) })
  expect(text).not.toContain('token')

  const other = `/app/api/sessions/${sessions[1]?.id}`
  expect((await ada.call({ method: 'DELETE', url: other })).status).toBe(204)
  expect((await phone.get('/session')).status).toBe(401)
  expect((await ada.get('/session')).status).toBe(200)
  expect((await ada.call({ method: 'DELETE', url: other })).status).toBe(404)
})

test('a user cannot end a session of another user', async () => {
  const [ada, eve] = [await signUp(api), await signUp(api)]
  const { body } = await ada.get('/sessions')
  const [session] = body['sessions'] as Listed[]
  expect((await eve.call({ method: 'DELETE', url: `/app/api/sessions/${session?.id}` })).status).toBe(404)
  expect((await ada.get('/session')).status).toBe(200)
})

test('GET /sessions responds with 401 when the session ends after it was found', async () => {
  const ada = await signUp(api)
  const own = sql`from sessions where user_id = ${ada.personId}`
  await asOwner(api.db, (trx) => sql`drop table if exists kept_sessions`.execute(trx))
  await asOwner(api.db, (trx) => sql`create table kept_sessions as select * ${own}`.execute(trx))
  // The session is deleted a little later in each round, so that some rounds delete it between its two readings.
  for (let round = 0; round < 60; round++) {
    const listed = ada.get('/sessions')
    for (let turn = 0; turn < round; turn++) await nextTurn()
    await asOwner(api.db, (trx) => sql`delete ${own}`.execute(trx))
    expect([200, 401]).toContain((await listed).status)
    await asOwner(api.db, (trx) => sql`insert into sessions select * from kept_sessions`.execute(trx))
  }
})
