import { expect, test } from 'vitest'
import type { Route } from '../http/route.ts'
import { startTestApi } from '../testing/test-api.ts'
import { start } from './start.ts'

const waiting: AbortSignal[] = []
const wait: Route = async (app, { hurry }) => {
  app.get('/wait', { schema: { hide: true } }, async () => {
    waiting.push(hurry)
    await new Promise((resolve) => hurry.addEventListener('abort', resolve))
    return { status: 'open' }
  })
}
const api = await startTestApi({ routes: [wait] })

test('a request that waits for a result gets the results so far when the process stops', {
  tags: ['timed'],
}, async () => {
  const { key } = await api.openCaller()
  const running = await start({ ...api.config, stopNoticeMs: 300 }, api.services.log, [wait])
  const answer = fetch(`http://127.0.0.1:${running.address.port}/api/v1/wait`, { headers: { 'x-api-key': key } })
  await expect.poll(() => waiting.length).toBe(1)

  const began = performance.now()
  await Promise.all([running.stop(), running.stop()])
  expect(performance.now() - began).toBeGreaterThan(290)
  expect(await (await answer).json()).toEqual({ status: 'open' })
  expect((await answer).headers.get('connection')).toBe('close')
})

test('metrics are served on a separate port, if one is configured', async () => {
  const running = await start({ ...api.config, metrics: { host: '127.0.0.1', port: 0 } }, api.services.log, [wait])
  const url = `http://127.0.0.1:${running.metricsAddress?.port}/metrics`
  expect(await (await fetch(url)).text()).toContain('# TYPE probity_prediction_ece gauge')
  expect((await fetch(`http://127.0.0.1:${running.address.port}/metrics`)).status).toBe(404)
  await running.stop()
  await expect(fetch(url)).rejects.toThrow('fetch failed')

  const other = await start(api.config, api.services.log, [wait])
  expect(other.metricsAddress).toBeUndefined()
  await other.stop()
})
