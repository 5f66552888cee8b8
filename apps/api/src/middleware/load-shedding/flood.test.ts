import type { AddressInfo, Socket } from 'node:net'
import { pendingResult } from '@probity/contract/schemas/validations/stored-result'
import { whenDone } from '@probity/lab/when-done'
import { expect, test, vi } from 'vitest'
import { startTestApi } from '../../testing/test-api.ts'
import { startPlainWorker } from '../../testing/test-plain-worker.ts'
import { openClient, sendUnread } from '../../testing/test-sockets.ts'

const api = await startTestApi()
await api.app.listen({ host: '127.0.0.1', port: 0 })
const { port } = api.app.server.address() as AddressInfo
const { key } = await api.openCaller({ credits: 1_000, plan: 'scale' })

const HALF_POST = 'POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{'
const UNREAD_GET = 'GET /docs/api/js/scalar.js HTTP/1.1\r\nHost: x\r\n\r\n'

const OF_EACH = 1_000
const REPLACE_EVERY_MS = 100
const REPLACED = 5

/** Keeps so many connections from one address open, and replaces some of them all the time, because the server closes connections. */
function flood(message: string) {
  const open = () => sendUnread(port, '127.0.0.1', message)
  const sockets: Socket[] = Array.from({ length: OF_EACH }, open)
  let opened = 0
  const timer = setInterval(() => {
    for (let n = 0; n < REPLACED; n += 1) {
      const place = opened % OF_EACH
      sockets[place]?.destroy()
      sockets[place] = open()
      opened += 1
    }
  }, REPLACE_EVERY_MS)
  whenDone(() => {
    clearInterval(timer)
    for (const socket of sockets) socket.destroy()
  })
}

const countConnections = () =>
  new Promise<number>((resolve) => api.app.server.getConnections((_error, count) => resolve(count)))

test('validations of a client all succeed while another network floods the process', async () => {
  const verdict = { status: 'invalid', sub_status: 'no_mail_server', is_valid: false } as const
  startPlainWorker(api.db, (email) => ({ ...pendingResult(email, 'not_probed'), ...verdict }))
  const ask = openClient(port, '127.0.0.2')
  for (const message of [HALF_POST, UNREAD_GET]) flood(message)
  await vi.waitFor(async () => expect(await countConnections()).toBeGreaterThan(50))

  const validate = (n: number) => {
    const body = { email: `user${n}@example.com` }
    return ask({ method: 'POST', path: '/api/v1/validation/single', headers: { 'x-api-key': key }, body })
  }
  const statuses: number[] = []
  for (let round = 0; round < 5; round += 1) {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => validate(20 * round + n)))
    statuses.push(...answers.map(({ status }) => status))
  }
  expect(statuses).toEqual(Array.from({ length: 100 }, () => 200))
  expect(await countConnections()).toBeGreaterThan(50) // the flood lasted
})
