import { expect, test } from 'vitest'
import { openBatchQueue } from './batches.ts'
import { openInteractiveQueue } from './interactive.ts'
import { openWebhookQueue } from './webhooks.ts'

test('a process that starts while Redis is away is told so at once by every queue, and does not wait', {
  tags: ['timed'],
}, async () => {
  const url = 'redis://127.0.0.1:1' // where nobody listens
  const [interactive, batches, webhooks] = [
    openInteractiveQueue(url, 'test'),
    openBatchQueue(url, 'test'),
    openWebhookQueue(url, 'test'),
  ]
  const began = performance.now()
  await expect(interactive.add({ refs: [], replyTo: '' })).rejects.toThrow('away')
  await expect(batches.add([])).rejects.toThrow('away')
  await expect(webhooks.add([])).rejects.toThrow('away')
  expect(performance.now() - began).toBeLessThan(1_000)
})
