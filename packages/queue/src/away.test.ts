import { expect, test } from 'vitest'
import { openBatchQueue } from './batches.ts'
import { openInteractiveQueue } from './interactive.ts'
import { openWebhookQueue } from './webhooks.ts'

test('every queue fails at once when Redis is down at start', {
  tags: ['timed'],
}, async () => {
  const url = 'redis://127.0.0.1:1' // where nobody listens
  const [interactive, batches, webhooks] = [
    openInteractiveQueue(url, 'test'),
    openBatchQueue(url, 'test'),
    openWebhookQueue(url, 'test'),
  ]
  const began = performance.now()
  await expect(interactive.add({ refs: [], replyTo: '' })).rejects.toThrow('redis unavailable')
  await expect(batches.add([])).rejects.toThrow('redis unavailable')
  await expect(webhooks.add([])).rejects.toThrow('redis unavailable')
  expect(performance.now() - began).toBeLessThan(1_000)
})
