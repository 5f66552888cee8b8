import { connect } from 'node:net'
import { PUBLIC_SANDBOX_KEY } from '@probity/contract/constants/sandbox'
import { whenDone } from '@probity/lab/when-done'
import { expect, test, vi } from 'vitest'
import { callApp, startTestApi } from '../testing/test-api.ts'

const api = await startTestApi()
const url = await api.app.listen({ host: '127.0.0.1', port: 0 })
const SCRIPT = '/docs/api/js/scalar.js'

test('a client with the current script of the API reference gets 304', async () => {
  const first = await fetch(`${url}${SCRIPT}`)
  expect([first.status, first.headers.get('content-type')]).toEqual([200, expect.stringContaining('javascript')])
  expect((await first.bytes()).length).toBeGreaterThan(1_000_000)
  const again = await callApp(api.app, {
    url: SCRIPT,
    headers: { 'if-none-match': first.headers.get('etag') ?? '' },
  })
  expect([again.status, again.text.length]).toEqual([304, 0])
})

test('the reference has the sandbox key only if the public sandbox is on', async () => {
  const read = async (app: typeof api.app) => (await callApp(app, { url: '/docs/api/' })).text
  expect(await read(api.app)).toContain(PUBLIC_SANDBOX_KEY)
  const closed = await startTestApi({ config: { publicSandbox: false } })
  const page = await read(closed.app)
  expect(page).toContain('Scalar.createApiReference(')
  expect(page).not.toContain('pb_test_')
})

async function countInFlight(): Promise<number | undefined> {
  const gauge = await api.services.metrics.getSingleMetric('probity_http_requests_in_flight')?.get()
  return gauge?.values[0]?.value
}

test('100 unread responses with the script take less than 150 MB of memory', async () => {
  await callApp(api.app, { url: SCRIPT })
  const before = process.memoryUsage.rss()
  const sockets = Array.from({ length: 100 }, (_, n) => {
    const localAddress = `127.0.0.${(n % 2) + 1}` // one network has a lower limit
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), localAddress }).pause()
    whenDone(() => socket.destroy())
    socket.write(`GET ${SCRIPT} HTTP/1.1\r\nHost: x\r\n\r\n`)
    return socket
  })
  await vi.waitFor(async () => expect(await countInFlight()).toBe(100))
  await Promise.all(Array.from({ length: 10 }, () => fetch(`${url}/livez`)))
  expect((process.memoryUsage.rss() - before) / 1_000_000).toBeLessThan(150)
  for (const socket of sockets) socket.destroy()
  await vi.waitFor(async () => expect(await countInFlight()).toBe(0))
})

test.each([
  ['probity.example.com', 'connect-src probity.example.com/api/v1/;'],
  ['127.0.0.1:3000', 'connect-src 127.0.0.1:3000/api/v1/;'],
  ['[::1]:3000', 'connect-src [::1]:3000/api/v1/;'],
  ["a.example; script-src 'self'", "connect-src 'none';"],
])('the reference at %s may call the API of that host only', async (host, expected) => {
  const { headers } = await callApp(api.app, { url: '/docs/api/', headers: { host } })
  const policy = headers['content-security-policy'] ?? ''
  expect(policy).toContain(expected)
  expect(policy).toMatch(/; sandbox allow-scripts allow-same-origin allow-forms allow-downloads$/)
})
