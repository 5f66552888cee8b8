import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { formatKey, KEY_SCOPES, type KeyScope } from '@probity/contract/constants/keys'
import { sentHeaders } from '@probity/contract/constants/webhooks'
import { whenDone } from '@probity/lab/when-done'
import { verifyWebhook } from '@probity/sdk'
import { Webhook } from 'standardwebhooks'
import { expect, test, vi } from 'vitest'
import { createApiClient } from '../environment/instance.ts'
import { useSharedInstance } from '../environment/shared-instance.ts'
import { CLI, openHome } from './run-cli.ts'
import { openTmux } from './tmux.ts'

const SOON = { timeout: 30_000, interval: 50 }

type Received = { path: string; headers: IncomingHttpHeaders; body: string }

/** A webhook receiver on loopback. `respondWith` sets the status of its next responses. */
async function startReceiver() {
  const received: Received[] = []
  let status = 204
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ path: `${request.method} ${request.url}`, headers: request.headers, body })
      response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  whenDone(close)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?from=probity`
  const respondWith = (next: number) => {
    status = next
  }
  return { url, received, close, respondWith }
}

async function startListen(home: ReturnType<typeof openHome>, args: string[]) {
  const child = home.start(['listen', ...args])
  const exited = once(child, 'close').then(([code]) => code as number | null)
  await vi.waitFor(() => expect(child.ran.stderr).toContain('Press Ctrl-C to stop.'), SOON)
  const [, secret = ''] = /^Signing secret: (whsec_\S+)$/m.exec(child.ran.stderr) ?? []
  const lines = () =>
    child.ran.stdout
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  return { child, exited, secret, lines }
}

test('listen forwards signed events, prints each response, survives failures and ends with 0 on Ctrl-C', async () => {
  const instance = await useSharedInstance()
  const scopes = Object.keys(KEY_SCOPES) as KeyScope[]
  const { key, call } = await createApiClient(instance, { credits: 0, key: { mode: 'test', scopes } })
  const home = openHome({ PROBITY_BASE_URL: instance.api.url, PROBITY_API_KEY: key })
  const receiver = await startReceiver()
  const args = ['--forward-to', receiver.url, '--events', 'key.created', '--format', 'jsonl']
  const { child, exited, secret, lines } = await startListen(home, args)
  expect(child.ran.stderr).toContain(`Forwarding test events to ${receiver.url}.`)
  const createKey = async () => (await call('POST', '/keys', { name: 'listen', livemode: false })).body['id']

  const id = await createKey()
  // Not one of --events.
  await call('DELETE', `/keys/${id}`)
  await vi.waitFor(() => expect(lines()).toHaveLength(1), SOON)
  const [{ path, headers, body } = { path: '', headers: {}, body: '' }] = receiver.received
  expect(path).toBe('POST /hook?from=probity')
  expect(Object.keys(headers).toSorted()).toEqual(
    ['connection', 'content-length', 'host', ...Object.keys(sentHeaders(ANY_ATTEMPT))].toSorted(),
  )
  expect(headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Probity-Webhooks/1' })
  const event = await verifyWebhook({ payload: body, headers, secret })
  expect(event).toMatchObject({ type: 'key.created', livemode: false, data: { id } })
  expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(event)
  await expect(verifyWebhook({ payload: body, headers, secret: `whsec_${btoa('another secret')}` })).rejects.toThrow()
  expect(headers['webhook-id']).toBe(event.id)
  expect(lines()[0]).toEqual({
    forwarded_at: expect.stringMatching(/^\d{4}-.*Z$/),
    id: event.id,
    type: 'key.created',
    http_status: 204,
    error: null,
    duration_ms: expect.any(Number),
  })

  receiver.respondWith(307)
  await createKey()
  await vi.waitFor(() => expect(lines()).toHaveLength(2), SOON)
  receiver.close()
  await createKey()
  await vi.waitFor(() => expect(lines()).toHaveLength(3), SOON)
  expect(lines().slice(1)).toMatchObject([
    { http_status: 307, error: null },
    { http_status: null, error: 'ECONNREFUSED' },
  ])
  // The key that was deleted would have been among them.
  expect(lines().every(({ type }) => type === 'key.created')).toBe(true)
  expect((await call('GET', '/webhooks')).body).toEqual([])

  child.kill('SIGINT')
  expect(await exited).toBe(0)
  expect(child.ran.stderr.trim().split('\n')).toHaveLength(2)
})

const ANY_ATTEMPT = { eventId: '', signedAt: new Date(0), signature: '' }

test('listen shows the events of a job in a terminal until Ctrl-C', async () => {
  const instance = await useSharedInstance()
  const scopes: KeyScope[] = ['webhooks:read', 'jobs:write']
  const { key } = await createApiClient(instance, { credits: 0, key: { mode: 'test', scopes } })
  const home = openHome({ PROBITY_BASE_URL: instance.api.url, PROBITY_API_KEY: key, LANG: 'C.UTF-8' })
  const receiver = await startReceiver()
  const terminal = await openTmux(home.env(), home.home)
  // `echo` ends the line of the command, which has no end of its own if the command fills it exactly.
  await terminal.enter(
    `unset HISTFILE; echo; "${process.execPath}" "${CLI}" listen --forward-to '${receiver.url}'; echo "exit code $?"`,
  )
  const screen = await terminal.sees(/Press Ctrl-C to stop\./)
  const [, secret = ''] = /^Signing secret: (whsec_\S+)$/m.exec(screen) ?? []

  const created = await home.run(['jobs', 'create', '-', '--yes'], { stdin: 'email\nvalid@example.com\n' })
  expect(created.code).toBe(0)
  await terminal.sees(/^\d\d:\d\d:\d\d +204 +\d+ ms +job\.completed +evt_\S+$/m)
  const events = receiver.received.map(({ body, headers }) => verifyWebhook({ payload: body, headers, secret }))
  expect((await Promise.all(events)).map(({ type }) => type)).toEqual(['job.created', 'job.completed'])
  await terminal.press('C-c')
  await terminal.sees(/\^Cexit code 0$/m)
})

test('listen reconnects with Last-Event-ID and prints a table', async () => {
  const lastIds: (string | undefined)[] = []
  const service = createServer((request, response) => {
    expect(request.url).toBe('/api/v1/events/stream')
    lastIds.push(request.headers['last-event-id'] as string | undefined)
    const event = { id: `evt_${lastIds.length}`, type: 'job.completed', livemode: true, data: {} }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`retry: 10\n\nid: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`)
    if (lastIds.length === 1) response.end()
  })
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  whenDone(() => {
    service.closeAllConnections()
    service.close()
  })
  const receiver = await startReceiver()
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  const home = openHome({ PROBITY_BASE_URL: url, PROBITY_API_KEY: formatKey('live', 'a'.repeat(32)) })
  const { child, exited } = await startListen(home, ['--forward-to', receiver.url])
  await vi.waitFor(() => expect(child.ran.stdout.trim().split('\n')).toHaveLength(3), SOON)
  expect(lastIds).toEqual([undefined, 'evt_1'])
  expect(child.ran.stderr).toContain('Reconnected.')
  const [head = '', first = '', second = ''] = child.ran.stdout.split('\n')
  expect(head).toMatch(/^time \(UTC\) +status +duration +type +id$/)
  expect(first).toMatch(/^\d\d:\d\d:\d\d +204 +\d+ ms +job\.completed +evt_1$/)
  expect(second).toMatch(/evt_2$/)
  child.kill('SIGINT')
  expect(await exited).toBe(0)
})

test('listen rejects other URLs and event types, and a key without the scope', async () => {
  const instance = await useSharedInstance()
  const { key } = await createApiClient(instance, { credits: 0, key: { mode: 'test', scopes: ['jobs:write'] } })
  const { run } = openHome({ PROBITY_BASE_URL: instance.api.url, PROBITY_API_KEY: key })
  for (const url of ['localhost:8080', 'ftp://localhost/', 'hooks']) {
    const { code, stderr } = await run(['listen', '--forward-to', url])
    expect([code, stderr]).toEqual([2, expect.stringContaining('Must be an http or https URL')])
  }
  const http = ['listen', '--forward-to', 'http://localhost:1']
  const unknown = await run([...http, '--events', 'job.completed,job.done'])
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('job.done is not one of job.created')])
  expect((await run([...http, '--events', 'webhook.test'])).code).toBe(2)
  const rejected = await run(http)
  expect([rejected.code, rejected.stderr]).toEqual([3, expect.stringContaining('webhooks:read')])
  expect(rejected.stderr).not.toContain('whsec_')
})
