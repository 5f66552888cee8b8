import { Probity } from '@probity/sdk'
import { expect, test } from 'vitest'
import { borrowProduct } from './test-borrowed.ts'
import { openHome } from './test-cli.ts'
import { openCustomer } from './test-product.ts'

/** The name leads nowhere, so that whatever is sent fails: what is shown is what was tried. */
const product = await borrowProduct()
const { key } = await openCustomer(product)
const { webhooks } = new Probity({ apiKey: key, baseUrl: product.api.url })
const cli = openHome({ PROBITY_BASE_URL: product.api.url, PROBITY_API_KEY: key })

test('a test event is sent, listed and sent again, and the webhook need not be named where there is one', async () => {
  const none = await cli.run(['webhooks', 'trigger'])
  expect([none.code, none.stderr]).toEqual([4, expect.stringContaining('has no webhook')])

  const { id } = await webhooks.create({ url: 'https://hooks.example.com/p', events: ['job.completed'] })
  expect((await cli.run(['webhooks', 'ls'])).stdout).toMatch(
    new RegExp(`^id .*\\n${id}  (enabled|failing) +job.completed  https://hooks.example.com/p\\n$`),
  )
  const triggered = JSON.parse((await cli.run(['webhooks', 'trigger', '-o', 'json'])).stdout)
  expect(triggered).toMatchObject([{ webhook_id: id, type: 'webhook.test' }])
  expect((await cli.run(['webhooks', 'deliveries'])).stdout).toMatch(/webhook\.test/)

  // What is on its way to a webhook that is turned off has failed.
  await webhooks.update(id, { enabled: false })
  await webhooks.update(id, { enabled: true })
  expect((await cli.run(['webhooks', 'deliveries', '--status', 'failed'])).stdout).toContain(triggered[0].id)
  expect((await cli.run(['webhooks', 'resend', triggered[0].id])).stdout).toMatch(/pending +webhook\.test/)
  await webhooks.update(id, { enabled: false })
  await webhooks.update(id, { enabled: true })
  expect((await cli.run(['webhooks', 'resend', '--since', '2026-01-01'])).stdout).toBe('1 delivery is resent\n')

  await webhooks.create({ url: 'https://hooks.example.com/q' })
  const several = await cli.run(['webhooks', 'trigger'])
  expect([several.code, several.stderr]).toEqual([2, expect.stringContaining('--webhook')])
  expect((await cli.run(['webhooks', 'trigger', '--webhook', id])).code).toBe(0)
  expect((await cli.run(['webhooks', 'resend'])).code).toBe(2)
})
