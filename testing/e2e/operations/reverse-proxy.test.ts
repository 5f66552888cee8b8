import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { makeCertificate } from '@probity/lab/certificates'
import { freePort, makeFolder, removeFolder, startDaemon } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { describe, expect, test } from 'vitest'
import { readBlocks } from '../docs/pages.ts'
import { createApiClient, startInstance } from '../environment/instance.ts'
import { ROOT } from '../environment/programs.ts'
import { run } from '../environment/run.ts'

/** Covers the blocks `<!-- test: reverse-proxy -->`. Debian has no Traefik: deploy/traefik.test.ts only parses its files. */
const HOST = 'probity.example.com'
/** Clients have other addresses than the proxy, 127.0.0.1, whose X-Forwarded-For the API trusts. */
const KNOWN = '127.0.0.2'
const OTHER = '127.0.0.3'

const blocks = readBlocks('docs/reverse-proxy.md').filter(({ marker }) => marker?.value === 'reverse-proxy')
/** The block of a section of the page. */
const blockOf = (section: string) => blocks.find((block) => block.section === section)?.text ?? ''

const instance = await startInstance({ PUBLIC_URL: `https://${HOST}`, TRUST_PROXY: '127.0.0.1' })
const backend = instance.api.url.slice('http://'.length)
const client = await createApiClient(instance, { key: { mode: 'test' } })
const restricted = await createApiClient(instance, { key: { mode: 'test', ipAllowList: [KNOWN] } })

const folder = makeFolder('probity-reverse-proxy')
whenDone(() => removeFolder(folder))
const { cert, key } = makeCertificate({ name: HOST })
const certFile = write('cert.pem', cert)
const keyFile = write('key.pem', key)

function write(name: string, content: string): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

/** nginx with the block of the page, as Debian includes it. It ignores X-Accel-Buffering, so that buffering depends on the block. */
async function startNginx(change: (config: string) => string = (config) => config): Promise<number> {
  const [plain, tls] = [await freePort(), await freePort()]
  const site = change(blockOf('nginx'))
    .replaceAll(/listen (\[::\]:)?80;/g, (_, six) => `listen ${six ? '[::1]' : '127.0.0.1'}:${plain};`)
    .replaceAll(/listen (\[::\]:)?443 ssl/g, (_, six) => `listen ${six ? '[::1]' : '127.0.0.1'}:${tls} ssl`)
    .replace(/ssl_certificate \S+;/, `ssl_certificate ${certFile};`)
    .replace(/ssl_certificate_key \S+;/, `ssl_certificate_key ${keyFile};`)
    .replace('127.0.0.1:3000', backend)
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const config = write(
    `nginx-${tls}.conf`,
    `daemon off; master_process off; pid ${folder}/nginx-${tls}.pid; events { worker_connections 2048; }
     http { access_log off; ${paths.join(' ')} proxy_ignore_headers X-Accel-Buffering; ${site} }`,
  )
  const logFile = join(folder, 'nginx.log')
  const daemon = await startDaemon(['nginx', '-e', logFile, '-p', folder, '-c', config], tls, { logFile })
  whenDone(() => daemon.stop())
  const redirect = await fetch(`http://127.0.0.1:${plain}/docs?a=1`, { redirect: 'manual' })
  expect([redirect.status, redirect.headers.get('location')]).toEqual([301, 'https://127.0.0.1/docs?a=1'])
  return tls
}

/** Caddy with the block of the page and the certificate of this test in place of one from Let's Encrypt. */
async function startCaddy(template = blockOf('Caddy')): Promise<number> {
  const port = await freePort()
  const config = template
    .replace(/^\{\n/m, '{\n\tadmin off\n\tauto_https disable_redirects\n\tdefault_bind 127.0.0.1\n')
    .replace(`${HOST} {`, `https://${HOST}:${port} {\n\ttls ${certFile} ${keyFile}`)
    .replaceAll('127.0.0.1:3000', backend)
  const file = write(`Caddyfile-${port}`, config)
  const logFile = join(folder, 'caddy.log')
  const command = ['caddy', 'run', '--adapter', 'caddyfile', '--config', file]
  const daemon = await startDaemon(command, port, { logFile, env: { PATH: String(process.env['PATH']), HOME: folder } })
  whenDone(() => daemon.stop())
  return port
}

type Sent = { method?: string; headers?: Record<string, string>; body?: string | Buffer; from?: string }

/** Sends a request as a client with this address does. */
async function send(port: number, path: string, { method = 'GET', headers = {}, body, from = OTHER }: Sent = {}) {
  const request_ = request({
    host: '127.0.0.1',
    port,
    path,
    method,
    servername: HOST,
    ca: cert,
    localAddress: from,
    agent: false,
    headers: { host: HOST, ...headers },
  })
  request_.end(body)
  const [response] = (await once(request_, 'response')) as [IncomingMessage]
  return response
}

async function call(port: number, path: string, sent?: Sent) {
  const response = await send(port, path, sent)
  return { status: response.statusCode, body: await text(response) }
}

/** A CSV in a form, as large as a file may be. */
function makeUpload(megabytes: number): { headers: Record<string, string>; body: Buffer } {
  const boundary = 'a-boundary'
  const note = 'x'.repeat(1_000)
  const rows = Array.from({ length: megabytes * 1_000 }, (_, n) => `user${n}@example.com,${note}`)
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="list.csv"\r\ncontent-type: text/csv\r\n\r\n`
  const body = Buffer.from(`${head}email,note\n${rows.join('\n')}\n\r\n--${boundary}--\r\n`)
  const type = `multipart/form-data; boundary=${boundary}`
  return { headers: { 'content-type': type, 'content-length': String(body.length) }, body }
}

/** The events of the account as they arrive. The stream stays open. */
async function followEvents(port: number) {
  const response = await send(port, '/api/v1/events/stream', { headers: { 'x-api-key': client.key } })
  let seen = ''
  response.setEncoding('utf8').on('data', (chunk: string) => (seen += chunk))
  return { status: response.statusCode, read: () => seen, close: () => response.destroy() }
}

/** Runs a job, whose end is an event. */
async function runJob(): Promise<void> {
  const form = new FormData()
  form.append('file', new Blob(['email\nvalid@example.com\n']), 'list.csv')
  const headers = { 'x-api-key': client.key }
  const preview = await fetch(`${instance.api.url}/api/v1/bulk/upload/preview`, { method: 'POST', body: form, headers })
  const { upload_id } = (await preview.json()) as { upload_id: string }
  const { status } = await client.call('POST', '/bulk/upload/confirm', { upload_id, email_column: 'email' })
  expect(status).toBe(201)
}

/** Proxy of Docker Compose, with the names of its network replaced. */
const startShipped = () =>
  startCaddy(
    readFileSync(join(ROOT, 'deploy/Caddyfile'), 'utf8')
      .replace('{$PROBITY_DOMAIN}', HOST)
      .replaceAll('api:3000', '127.0.0.1:3000'),
  )

const FLOODER = '127.0.0.4'
const FLOOD = 300

/** Requests of one address whose bodies never end. Returns the number of those that the proxy has not ended. */
function flood(port: number, apiKey = client.key): { countOpen(): number; stop(): void } {
  const head = [
    'POST /api/v1/validation/single HTTP/1.1',
    `Host: ${HOST}`,
    `X-API-Key: ${apiKey}`,
    'Content-Type: application/json',
    'Content-Length: 60',
  ]
  let open = FLOOD
  const sockets = Array.from({ length: FLOOD }, () => {
    const raw = connect({ host: '127.0.0.1', port, localAddress: FLOODER })
    const socket = connectTls({ socket: raw, ca: cert, servername: HOST })
    socket.on('error', () => {}) // ended by the proxy
    raw.on('error', () => {})
    socket.once('secureConnect', () => socket.write(`${head.join('\r\n')}\r\n\r\n{`))
    const closed = new Promise<void>((resolve) => socket.once('data', () => resolve()).once('close', () => resolve()))
    void closed.then(() => (open -= 1))
    return socket
  })
  return { countOpen: () => open, stop: () => sockets.forEach((socket) => void socket.destroy()) }
}

describe.each([
  ['nginx', 'the page', startNginx, 256],
  ['Caddy', 'the page', startCaddy, 64],
  ['Caddy', 'Docker Compose', startShipped, 64],
] as const)('%s with the configuration of %s', async (_name, _of, start, unfinishedMax) => {
  const port = await start()

  test('ends unfinished requests of one address beyond the limit, and serves other addresses', async () => {
    const unfinished = flood(port)
    try {
      await expect.poll(unfinished.countOpen).toBeLessThanOrEqual(unfinishedMax)
      expect(unfinished.countOpen()).toBeGreaterThan(0)
      const body = JSON.stringify({ email: 'valid@example.com' })
      const headers = { 'x-api-key': client.key, 'content-type': 'application/json' }
      const sent = { method: 'POST', headers, body }
      expect((await call(port, '/api/v1/validation/single', sent)).status).toBe(200)
      expect((await call(port, '/api/v1/account', { headers, from: FLOODER })).status).toBe(429)
    } finally {
      unfinished.stop()
    }
  })

  test('accepts an upload of 45 MB', async () => {
    const { headers, body } = makeUpload(45)
    const sent = { method: 'POST', headers: { 'x-api-key': client.key, ...headers }, body }
    expect(await call(port, '/api/v1/bulk/upload/preview', sent)).toMatchObject({
      status: 200,
      body: expect.stringContaining('"row_count":45000'),
    })
  })

  test('passes an event on while the stream is open', async () => {
    const events = await followEvents(port)
    expect(events.status).toBe(200)
    await runJob()
    await expect.poll(events.read).toContain('job.completed')
    events.close()
  })

  test('forwards the address of the client, and not the one that a client claims', async () => {
    const headers = { 'x-api-key': restricted.key }
    const claimed = { ...headers, 'x-forwarded-for': KNOWN }
    expect((await call(port, '/api/v1/account', { headers, from: KNOWN })).status).toBe(200)
    expect((await call(port, '/api/v1/account', { headers, from: OTHER })).status).toBe(403)
    expect((await call(port, '/api/v1/account', { headers: claimed, from: OTHER })).status).toBe(403)
  })

  test('forwards the headers that a browser sends with a sign-in', async () => {
    const body = JSON.stringify({ email: 'ada@example.com', password: 'not the password' })
    const headers = {
      origin: `https://${HOST}`,
      'sec-fetch-site': 'same-origin',
      'probity-app': '1',
      'content-type': 'application/json',
    }
    const path = '/app/api/auth/sign-in/email'
    expect((await call(port, path, { method: 'POST', headers, body })).status).toBe(401)
    const foreign = { ...headers, origin: 'https://attacker.example', 'sec-fetch-site': 'cross-site' }
    expect((await call(port, path, { method: 'POST', headers: foreign, body })).status).toBe(403)
  })
})

test('Caddy ends unfinished requests of a client without a valid key', async () => {
  const unfinished = flood(await startCaddy(), 'unknown')
  try {
    // A process that sheds load rejects a few without a mark.
    await expect.poll(unfinished.countOpen).toBeLessThanOrEqual(64)
  } finally {
    unfinished.stop()
  }
})

test('nginx without the lines on the body size rejects an upload of 2 MB', async () => {
  const port = await startNginx((config) => config.replaceAll(/client_max_body_size \S+;/g, ''))
  const { headers, body } = makeUpload(2)
  const sent = { method: 'POST', headers: { 'x-api-key': client.key, ...headers }, body }
  expect((await call(port, '/api/v1/bulk/upload/preview', sent)).status).toBe(413)
})

test('nginx without the line on the address of the client hides it', async () => {
  const port = await startNginx((config) => config.replace(/proxy_set_header X-Forwarded-For .*/, ''))
  const { status } = await call(port, '/api/v1/account', { headers: { 'x-api-key': restricted.key }, from: KNOWN })
  expect(status).toBe(403)
})

test('nginx without the line on buffering holds events back', async () => {
  const port = await startNginx((config) => config.replace('proxy_buffering off;', ''))
  let throughNginx = () => ''
  const opened = followEvents(port).then((events) => {
    throughNginx = events.read
    return events
  })
  const direct = await fetch(`${instance.api.url}/api/v1/events/stream`, { headers: { 'x-api-key': client.key } })
  let seen = ''
  const reading = (async () => {
    for await (const chunk of direct.body ?? []) seen += Buffer.from(chunk as Uint8Array).toString()
  })().catch(() => {}) // ends with the API
  for (const ended of [1, 2]) {
    await runJob()
    await expect.poll(() => seen.split('"job.completed"').length - 1).toBe(ended)
  }
  expect(throughNginx()).not.toContain('job.completed')
  await instance.api.stop()
  await Promise.allSettled([reading, opened])
})

test('HAProxy accepts the configuration of the page', () => {
  const pem = write('haproxy.pem', `${cert}\n${key}`)
  const config = blockOf('Load balancer').replace(/bind :443 ssl crt \S+/, `bind 127.0.0.1:8443 ssl crt ${pem}`)
  const file = write('haproxy.cfg', `defaults\n  timeout connect 2s\n${config}`)
  expect(run('haproxy', ['-c', '-f', file], folder)).toContain('Configuration file is valid')
})
