import { Probity, ProbityProblem } from '@probity/sdk'
import { expect, test } from 'vitest'
import { borrowProduct } from './test-borrowed.ts'
import { openCustomer } from './test-product.ts'

const product = await borrowProduct()
const { key } = await openCustomer(product)
const { webhooks } = new Probity({ apiKey: key, baseUrl: product.api.url })

test('endpoints are made, listed, changed, rotated and removed', async () => {
  const made = await webhooks.create({ url: 'https://hooks.example.com/probity', events: ['job.completed'] })
  expect(made).toMatchObject({ events: ['job.completed'], enabled: true, livemode: true })
  expect(made.secret).toMatch(/^whsec_/)

  const changed = await webhooks.update(made.id, { events: ['*'], description: 'All of it' })
  expect(changed).toMatchObject({ id: made.id, url: made.url, events: ['*'], description: 'All of it' })
  expect('secret' in (await webhooks.get(made.id))).toBe(false)
  const rotated = await webhooks.rotate(made.id)
  expect(rotated.secret).not.toBe(made.secret)
  expect(rotated.public_key).not.toBe(made.public_key)
  expect(rotated.previous_secret_expires_at).not.toBeNull()

  expect((await webhooks.list()).map(({ id }) => id)).toEqual([made.id])
  for await (const { id } of webhooks.all()) expect(id).toBe(made.id)
  expect(await webhooks.remove(made.id)).toBeUndefined()
  await expect(webhooks.get(made.id)).rejects.toThrow(ProbityProblem)
})

test('what was sent is listed, shown and sent again', async () => {
  const { id } = await webhooks.create({ url: 'https://hooks.example.com/probity' })
  const sent = await webhooks.test(id)
  expect(sent).toMatchObject({ type: 'webhook.test' })
  expect((await webhooks.deliveries(id, { type: 'webhook.test', limit: 5 })).map((one) => one.id)).toEqual([sent.id])
  expect(await webhooks.deliveries(id, { status: 'delivered' })).toEqual([])
  const whole = await webhooks.delivery(id, sent.id)
  expect(JSON.stringify(whole)).toContain('webhook.test')

  await webhooks.update(id, { enabled: false })
  await webhooks.update(id, { enabled: true })
  expect(await webhooks.recover(id, { sinceAt: new Date(Date.now() - 60_000) })).toMatchObject({ count: 1 })
  const again = []
  for await (const one of webhooks.allDeliveries(id)) again.push(one.id)
  expect(again).toEqual([sent.id])
})

test('the callback secret is read and rotated', async () => {
  const { secret } = await webhooks.callbackSecret()
  expect(secret).toMatch(/^whsec_/)
  expect((await webhooks.callbackSecret()).secret).toBe(secret)
  const rotated = await webhooks.rotateCallbackSecret()
  expect(rotated.secret).not.toBe(secret)
  expect(rotated.previous_secret_expires_at).not.toBeNull()
})
