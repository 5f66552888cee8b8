import { NotFoundError, Probity, type WebhookEvent } from '@probity/sdk'
import { expect, test } from 'vitest'
import { createApiClient } from '../../environment/instance.ts'
import { useSharedInstance } from '../../environment/shared-instance.ts'

const instance = await useSharedInstance()
const { key } = await createApiClient(instance)
const probity = new Probity({ apiKey: key, baseUrl: instance.api.url })
const { webhooks } = probity

test('webhooks are created, listed, updated, rotated and deleted', async () => {
  const created = await webhooks.create({ url: 'https://hooks.example.com/probity', events: ['job.completed'] })
  expect(created).toMatchObject({ events: ['job.completed'], enabled: true, livemode: true })
  expect(created.secret).toMatch(/^whsec_/)

  const updated = await webhooks.update(created.id, { events: ['*'], description: 'All events' })
  expect(updated).toMatchObject({ id: created.id, url: created.url, events: ['*'], description: 'All events' })
  expect('secret' in (await webhooks.get(created.id))).toBe(false)
  const rotated = await webhooks.rotateSecret(created.id)
  expect(rotated.secret).not.toBe(created.secret)
  expect(rotated.public_key).not.toBe(created.public_key)
  expect(rotated.previous_secret_expires_at).not.toBeNull()

  expect((await webhooks.list()).data.map(({ id }) => id)).toEqual([created.id])
  for await (const { id } of webhooks.list()) expect(id).toBe(created.id)
  expect(await webhooks.delete(created.id)).toBeUndefined()
  await expect(webhooks.get(created.id)).rejects.toThrow(NotFoundError)
})

test('deliveries are listed, read and recovered', async () => {
  const { id } = await webhooks.create({ url: 'https://hooks.example.com/probity' })
  const sent = await webhooks.test(id)
  expect(sent).toMatchObject({ type: 'webhook.test' })
  const { deliveries } = webhooks
  const { data } = await deliveries.list(id, { type: 'webhook.test', limit: 5 })
  expect(data.map((delivery) => delivery.id)).toEqual([sent.id])
  expect((await deliveries.list(id, { status: 'delivered' })).data).toEqual([])
  expect(JSON.stringify(await deliveries.get(id, sent.id))).toContain('webhook.test')

  await webhooks.update(id, { enabled: false })
  await webhooks.update(id, { enabled: true })
  expect(await deliveries.recover(id, { sinceAt: new Date(Date.now() - 60_000) })).toMatchObject({ count: 1 })
  const ids = []
  for await (const delivery of deliveries.list(id)) ids.push(delivery.id)
  expect(ids).toEqual([sent.id])
})

test('the callback secret is read and rotated', async () => {
  const { secret } = await webhooks.callbackSecret.get()
  expect(secret).toMatch(/^whsec_/)
  expect((await webhooks.callbackSecret.get()).secret).toBe(secret)
  const rotated = await webhooks.callbackSecret.rotate()
  expect(rotated.secret).not.toBe(secret)
  expect(rotated.previous_secret_expires_at).not.toBeNull()
})

test('events.stream yields events of the given types as they occur', async () => {
  const events = probity.events.stream({ types: ['key.revoked'] })
  const next = events.next()
  const created = await probity.keys.create({ name: 'Short-lived' })
  // The stream may open after an event, which is not repeated: events occur until one arrives.
  let received: IteratorResult<WebhookEvent, void> | undefined
  void next.then((result) => (received = result))
  await expect
    .poll(
      async () => {
        const { id } = await probity.keys.create({ name: 'Short-lived' })
        await probity.keys.revoke(id)
        return received?.value?.type
      },
      { timeout: 20_000, interval: 500 },
    )
    .toBe('key.revoked')
  const event = (await next).value
  expect(event?.type === 'key.revoked' && event.data.name).toBe('Short-lived')
  await probity.keys.revoke(created.id)
  await events.return()
})
