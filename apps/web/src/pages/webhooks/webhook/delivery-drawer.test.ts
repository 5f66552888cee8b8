import { expect, test } from 'vitest'
import { webhookCurl } from './DeliveryDrawer.tsx'

test('webhookCurl returns a command that sends the same bytes', () => {
  const body = '{"name":"Ada\'s list"}'
  const headers = { 'Content-Length': '21', 'webhook-id': 'evt_1', 'webhook-signature': 'v1,abc=' }
  expect(webhookCurl({ url: 'https://hooks.example.com/in?a=1&b=2', headers, body })).toBe(
    [
      "curl 'https://hooks.example.com/in?a=1&b=2'",
      "-H 'webhook-id: evt_1'",
      "-H 'webhook-signature: v1,abc='",
      `--data-binary '{"name":"Ada'\\''s list"}'`,
    ].join(' \\\n  '),
  )
})
