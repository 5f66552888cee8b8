import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { verifyWebhook, type WebhookEvent } from '@probity/sdk'
import { expect, onTestFinished, test } from 'vitest'
import { createSigningSecret, forwardEvent } from './forward-event.ts'

const EVENT = { id: 'evt_1', type: 'job.completed', livemode: true, data: { id: 'ä' } } as unknown as WebhookEvent
const secret = createSigningSecret()
const { signal } = new AbortController()

async function startReceiver(listener: RequestListener): Promise<URL> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`)
}

test('forwardEvent sends a request that the SDK verifies, and returns its status', async () => {
  let verified: Promise<WebhookEvent> | undefined
  const url = await startReceiver((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      verified = verifyWebhook({ payload: Buffer.concat(chunks), headers: request.headers, secret })
      response.writeHead(202).end('accepted')
    })
  })
  const result = await forwardEvent(EVENT, { url, secret, signal })
  expect(result).toMatchObject({ id: 'evt_1', type: 'job.completed', http_status: 202, error: null })
  expect(await verified).toEqual(EVENT)
})

test('forwardEvent returns an error when the receiver does not respond in time', async () => {
  const url = await startReceiver(() => {})
  const result = await forwardEvent(EVENT, { url, secret, signal, timeoutMs: 50 })
  expect(result).toMatchObject({ http_status: null, error: 'no response within 0.05 s' })
})

test('forwardEvent returns the status of a response that does not end', async () => {
  const url = await startReceiver((_, response) => void response.writeHead(200).write('event: open\n\n'))
  const result = await forwardEvent(EVENT, { url, secret, signal, timeoutMs: 500 })
  expect(result).toMatchObject({ http_status: 200, error: null })
})

test('forwardEvent returns an error when the receiver closes the connection or sends no HTTP', async () => {
  const closing = await startReceiver((request) => void request.socket.destroy())
  expect(await forwardEvent(EVENT, { url: closing, secret, signal })).toMatchObject({ error: 'ECONNRESET' })
  const garbled = await startReceiver((request) => void request.socket.end('220 mx.example ESMTP\r\n'))
  expect(await forwardEvent(EVENT, { url: garbled, secret, signal })).toMatchObject({
    error: expect.stringMatching(/^HPE_/),
  })
})

test('forwardEvent throws the reason when its signal is aborted', async () => {
  const interruption = new AbortController()
  const url = await startReceiver(() => interruption.abort(new Error('Ctrl-C')))
  await expect(forwardEvent(EVENT, { url, secret, signal: interruption.signal })).rejects.toThrow('Ctrl-C')
})
