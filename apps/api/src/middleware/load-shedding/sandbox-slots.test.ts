import { PUBLIC_SANDBOX_KEY } from '@probity/contract/constants/sandbox'
import { expect, test, vi } from 'vitest'
import { callApp, startTestApi } from '../../testing/test-api.ts'

const hurry = new AbortController()
const api = await startTestApi({ config: { inFlightMax: 32 }, hurry: hurry.signal })

function validate(headers: Record<string, string>, email: string, remoteAddress = '127.0.0.1') {
  return callApp(api.app, {
    method: 'POST',
    url: '/api/v1/validation/single',
    headers,
    payload: { email },
    remoteAddress,
  })
}

test('waiting requests of the sandbox take slots of their own, and leave those of live requests free', async () => {
  const { inFlight } = api.services
  const slow = Array.from({ length: 10 }, (_, n) =>
    validate({ 'x-api-key': PUBLIC_SANDBOX_KEY }, 'slow-5s@example.com', `127.0.1.${n + 1}`),
  )
  await vi.waitFor(() => expect(inFlight.sandbox).toBe(4))
  expect(inFlight.working).toBe(0)

  const { key } = await api.openCaller({ key: { mode: 'test' } })
  expect((await validate({ 'x-api-key': key }, 'valid@example.com')).status).toBe(503)
  hurry.abort()
  const statuses = (await Promise.all(slow)).map(({ status }) => status)
  expect(statuses.toSorted((a, b) => a - b)).toEqual([...Array(4).fill(200), ...Array(6).fill(503)])
  await vi.waitFor(() => expect([inFlight.all, inFlight.working, inFlight.sandbox]).toEqual([0, 0, 0]))
  expect((await validate({ 'x-api-key': key }, 'valid@example.com')).status).toBe(200)
})

test('a client over its rate is rejected before its body is read', async () => {
  const headers = { 'x-api-key': PUBLIC_SANDBOX_KEY, 'content-type': 'application/json' }
  const report = (payload: string) =>
    callApp(api.app, { method: 'POST', url: '/api/v1/feedback', headers, payload, remoteAddress: '127.0.2.1' })
  expect((await report('no JSON')).body).toMatchObject({ code: 'malformed_json' })
  for (let sent = 1; sent < 60; sent++) await report('no JSON')
  expect((await report('no JSON')).body).toMatchObject({ status: 429, code: 'rate_limited' })
})
