import { setTimeout as sleep } from 'node:timers/promises'
import { asOwner } from '@probity/database/connection/connect'
import { createTestDatabase } from '@probity/database/connection/test-database'
import { startRelay } from '@probity/lab/relay'
import { startPostgres } from '@probity/lab/services/postgres'
import { whenDone } from '@probity/lab/when-done'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { openTestLog } from '../server/test-log.ts'
import { startValidationDispatcher } from './dispatcher.ts'

const SOON = { timeout: 30_000, interval: 50 }

const { db, url } = await createTestDatabase()

/** Listens through a relay to a server. */
async function listenThroughRelay(serverUrl: string, { paused = false } = {}) {
  const direct = new URL(serverUrl)
  const relay = await startRelay({ host: '127.0.0.1', port: 0, to: { host: '127.0.0.1', port: Number(direct.port) } })
  whenDone(() => relay.stop())
  if (paused) relay.pause()
  const directUrl = Object.assign(new URL(direct), { port: String(relay.port) }).href
  const executors = { work: async () => {}, handOver: async () => {}, isYielding: () => false }
  const dispatcher = startValidationDispatcher({ db, log: openTestLog().log, egresses: [] }, directUrl, executors)
  whenDone(() => dispatcher.stop())
  return relay
}

async function startStandby() {
  const primary = await startPostgres()
  whenDone(() => primary.stop())
  const standby = await startPostgres({ standbyOf: primary })
  whenDone(() => standby.stop())
  const listListeners = () =>
    standby.query("select pid from pg_stat_activity where application_name = 'probity-worker-listen'")
  return { standby, countListeners: async () => (await listListeners()).length }
}

test('a worker leaves no connection open on a server that rejects LISTEN, and listens once it is promoted', async () => {
  const { standby, countListeners } = await startStandby()
  const relay = await listenThroughRelay(standby.url)
  await vi.waitFor(() => expect(relay.connections()).toBeGreaterThan(3), SOON)
  expect(await countListeners()).toBeLessThanOrEqual(1)
  await standby.query('select pg_promote()')
  await vi.waitFor(async () => {
    const before = relay.connections()
    await sleep(1_000) // longer than until the next attempt
    expect([await countListeners(), relay.connections()]).toEqual([1, before])
  }, SOON)
})

test('a worker has at most one connection after 30 s on a server that rejects LISTEN', {
  tags: ['long'],
  timeout: 90_000,
}, async () => {
  const { standby, countListeners } = await startStandby()
  const relay = await listenThroughRelay(standby.url)
  await sleep(30_000)
  expect(relay.connections()).toBeGreaterThan(10)
  expect(await countListeners()).toBeLessThanOrEqual(1)
})

test('a worker connects again when a server accepts the connection and does not respond', async () => {
  const relay = await listenThroughRelay(url, { paused: true })
  await vi.waitFor(() => expect(relay.connections()).toBeGreaterThan(1), SOON)
})

test('a worker connects again when the server that it listens to goes silent', {
  tags: ['long'],
  timeout: 60_000,
}, async () => {
  const relay = await listenThroughRelay(url)
  await vi.waitFor(async () => expect(await countListening()).toBe(1), SOON)
  relay.pause()
  await vi.waitFor(() => expect(relay.connections()).toBeGreaterThan(1), SOON)
  relay.resume()
  await vi.waitFor(async () => expect(await countListening()).toBe(1), SOON)
})

/** Connections of the test's own database whose last statement is LISTEN or the test of the connection. */
async function countListening(): Promise<number> {
  const { rows } = await asOwner(db, (trx) =>
    sql`select 1 from pg_stat_activity where datname = current_database() and application_name = 'probity-worker-listen'
        and query in ('listen validations', 'select 1')`.execute(trx),
  )
  return rows.length
}
