import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { insertKey } from '../accounts/keys.ts'
import { asOwner, connect, inTenant } from '../connection/connect.ts'
import type { View } from '../connection/scope.ts'
import { createTestDatabase, openTestAccount } from '../connection/test-database.ts'
import { sendTestEvent } from './deliveries.ts'
import { claimStreamEvents, insertEventStream, removeEventStream, removeStaleStreams } from './event-streams.ts'
import { emitEvent } from './events.ts'
import { openTestWebhook, readEvents } from './test-webhooks.ts'

const { db, url } = await createTestDatabase()
const maintenance = connect(url, { connectionsMax: 1, programRole: 'probity_maintenance' })

async function openView(mode: View['mode'] = 'live'): Promise<View> {
  const { id: accountId } = await openTestAccount(db, 0)
  return { accountId, mode }
}

async function openStream(view: View): Promise<string> {
  const id = randomUUID()
  expect(await insertEventStream(db, view, id)).toBe(true)
  return id
}

const emit = ({ accountId, mode }: View) =>
  inTenant(db, accountId, (trx) => insertKey(trx, accountId, { mode, name: 'streamed', scopes: [] }))
const take = async (...ids: string[]) => (await claimStreamEvents(db, ids, 100)).events
const age = (id: string, seconds: number) =>
  asOwner(db, (trx) =>
    sql`update event_streams set seen_at = seen_at - make_interval(secs => ${seconds}) where id = ${id}`.execute(trx),
  )

test('an open stream receives the events of its account and mode, each once, and nothing is stored', async () => {
  const view = await openView()
  const [id, other, sandbox] = [await openStream(view), await openStream(await openView()), randomUUID()]
  await insertEventStream(db, { ...view, mode: 'test' }, sandbox)
  const { key } = await emit(view)
  const events = await take(id, other, sandbox)
  expect(events).toMatchObject([{ streamId: id }])
  const body = JSON.parse(events[0]?.body ?? '')
  expect(body).toMatchObject({ id: `evt_${events[0]?.eventId}`, type: 'key.created', data: { id: key.id } })
  expect(await take(id, other, sandbox)).toEqual([])
  expect(await readEvents(db, view.accountId)).toEqual([])
})

test('a stream and a webhook receive the same event', async () => {
  const view = await openView()
  await openTestWebhook(db, view)
  const id = await openStream(view)
  await emit(view)
  const [stored] = await readEvents(db, view.accountId)
  const [streamed] = await take(id)
  expect(streamed?.eventId).toBe(stored?.id)
  expect(JSON.parse(streamed?.body ?? '')).toEqual(stored?.body)
})

test('a stream receives no test event of a webhook', async () => {
  const view = await openView()
  const webhook = await openTestWebhook(db, view)
  const id = await openStream(view)
  await inTenant(db, view.accountId, (trx) => sendTestEvent(trx, view, webhook.id))
  expect(await take(id)).toEqual([])
})

test('a future event is claimed at its time', async () => {
  const view = await openView('test')
  const id = await openStream(view)
  const emitAt = (at: Date) =>
    inTenant(db, view.accountId, (trx) =>
      emitEvent(trx, { mode: 'test', type: 'validation.resolved', data: () => ({}), at }),
    )
  await emitAt(new Date(Date.now() + 60_000))
  await emitAt(new Date(Date.now() - 1_000))
  expect(await take(id)).toHaveLength(1)
  await asOwner(db, (trx) => sql`update stream_events set due_at = clock_timestamp()`.execute(trx))
  expect(await take(id)).toHaveLength(1)
})

test('a transaction that is rolled back adds nothing to a stream', async () => {
  const view = await openView()
  const id = await openStream(view)
  const failing = inTenant(db, view.accountId, async (trx) => {
    await insertKey(trx, view.accountId, { mode: 'live', name: 'key', scopes: [] })
    throw new Error('planted')
  })
  await expect(failing).rejects.toThrow('planted')
  expect(await take(id)).toEqual([])
})

test('an account has two streams at a time, over both modes', async () => {
  const view = await openView()
  const first = await openStream(view)
  await openStream({ ...view, mode: 'test' })
  expect(await insertEventStream(db, view, randomUUID())).toBe(false)
  await removeEventStream(db, view, first)
  await openStream(view)
})

test('two streams that open concurrently do not exceed the limit', async () => {
  const view = await openView()
  const opened = await Promise.all(Array.from({ length: 6 }, () => insertEventStream(db, view, randomUUID())))
  expect(opened.filter(Boolean)).toHaveLength(2)
})

test('a stream that is not renewed receives nothing, does not count and is deleted with its events', async () => {
  const view = await openView()
  const [stale, live] = [await openStream(view), await openStream(view)]
  await emit(view)
  await age(stale, 61)
  await emit(view)
  await openStream(view)
  await removeStaleStreams(maintenance)
  const { events, lost } = await claimStreamEvents(db, [stale, live], 100)
  expect(lost).toEqual([stale])
  expect(events.map(({ streamId }) => streamId)).toEqual([live, live])
})

test('claiming events renews a stream', async () => {
  const view = await openView()
  const id = await openStream(view)
  await age(id, 40)
  await take(id)
  await age(id, 40)
  await emit(view)
  expect(await take(id)).toHaveLength(1)
})

test('a closed stream leaves no events behind', async () => {
  const view = await openView()
  const id = await openStream(view)
  await emit(view)
  await removeEventStream(db, view, id)
  const { rows } = await asOwner(db, (trx) => sql`select from stream_events where stream_id = ${id}`.execute(trx))
  expect(rows).toEqual([])
})
