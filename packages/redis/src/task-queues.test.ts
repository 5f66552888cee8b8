import { expect, test } from 'vitest'
import { openBatchQueue, openInteractiveQueue, openWebhookQueue } from './task-queues.ts'

test('every queue rejects immediately if Redis is unavailable at start', {
  tags: ['timed'],
}, async () => {
  const url = 'redis://127.0.0.1:1' // closed port
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
