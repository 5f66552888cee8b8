import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { createServer } from 'node:tls'
import { dnsError, type MailDns } from '@probity/engine/domain/resolver'
import { publicInternet } from '@probity/engine/smtp/protocol/address-policy'
import { makeCertificate } from '@probity/lab/certificates'
import { type Answering, startReceiver } from '@probity/lab/webhooks/receiver'
import { whenDone } from '@probity/lab/when-done'
import { expect, onTestFinished, test, vi } from 'vitest'
import { post } from './post.ts'

const NAME = 'hooks.example'
const CERTIFICATE = makeCertificate({ name: NAME })
const DAY_MS = 86_400_000

/** DNS responses for any name, in this order; the last one is repeated. */
function sayOf(...answers: string[][]): MailDns & { asked(): number } {
  let asked = 0
  const none = () => Promise.reject(dnsError('ENODATA', 'as told'))
  return {
    resolve4: async () => answers[Math.min(asked++, answers.length - 1)] ?? [],
    resolve6: none,
    resolveMx: none,
    resolveTxt: none,
    asked: () => asked,
  }
}

function around(port: number, dns: MailDns = sayOf(['127.0.0.1'])) {
  return { dns, policy: { port, allows: (address: string) => address === '127.0.0.1' }, authority: CERTIFICATE.cert }
}

const REQUEST = { url: `https://${NAME}/hook`, headers: { 'content-type': 'application/json' }, body: '{}' }

async function openReceiver(answering?: Answering, certificate = CERTIFICATE) {
  const receiver = await startReceiver({ name: NAME, certificate })
  whenDone(() => receiver.stop())
  if (answering) receiver.answer(answering)
  return receiver
}

/** A server that completes TLS and then behaves as given. */
async function openOddity(behave: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer(CERTIFICATE, (socket) => {
    sockets.add(socket)
    socket.on('error', () => {}) // clients come and go
    socket.resume()
    behave(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  whenDone(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

test.each([200, 201, 204, 302, 400, 410, 500, 503])(
  'a receiver that responds with %d gets that status recorded',
  async (status) => {
    const { port } = await openReceiver(() => status)
    expect(await post(REQUEST, around(port))).toMatchObject({ kind: 'answered', status })
  },
)

test('DNS is queried once per request, and later responses are not used', async () => {
  const { port, counts } = await openReceiver()
  const dns = sayOf(['127.0.0.1'], ['127.0.0.2'])
  expect(await post(REQUEST, around(port, dns))).toMatchObject({ kind: 'answered', status: 200 })
  expect([dns.asked(), counts.connections]).toEqual([1, 1])
})

test.each([
  '127.0.0.1',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '224.0.0.1',
  '168.63.129.16',
])('the production policy sends nothing to %s', async (address) => {
  const { port, counts } = await openReceiver()
  const production = { dns: sayOf([address]), policy: publicInternet([], port), authority: CERTIFICATE.cert }
  expect(await post(REQUEST, production)).toEqual({ kind: 'failed', error: 'not_routable' })
  expect(counts.connections).toBe(0)
})

test.each(['http://hooks.example/', 'https://hooks.example:8443/', 'nonsense'])(
  'nothing is sent to %s',
  async (url) => {
    const { port, counts } = await openReceiver()
    expect(await post({ ...REQUEST, url }, around(port))).toEqual({ kind: 'failed', error: 'url_refused' })
    expect(counts.connections).toBe(0)
  },
)

test.each(['https://127.0.0.1/', 'https://[::1]/', 'https://localhost/', 'https://redis/', 'https://a.internal/'])(
  '%s is rejected without a DNS lookup',
  async (url) => {
    const { port, counts } = await openReceiver()
    expect(await post({ ...REQUEST, url }, around(port))).toEqual({ kind: 'failed', error: 'not_routable' })
    expect(counts.connections).toBe(0)
  },
)

test.each([
  ['of another name', makeCertificate({ name: 'other.example' }), undefined],
  ['that is over', makeCertificate({ name: NAME, until: new Date(Date.now() - DAY_MS) }), undefined],
  ['that is not signed by the authority', makeCertificate({ name: NAME }), CERTIFICATE.cert],
])('a certificate %s is rejected before anything is sent', async (_, certificate, believed) => {
  const receiver = await openReceiver(undefined, certificate)
  const trusting = { ...around(receiver.port), authority: believed ?? certificate.cert }
  expect(await post(REQUEST, trusting)).toEqual({ kind: 'failed', error: 'tls_failed' })
  expect(receiver.received).toEqual([])
})

test('an untrusted certificate is rejected whatever the environment variables say', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  onTestFinished(() => void vi.unstubAllEnvs())
  const receiver = await openReceiver(undefined, makeCertificate({ name: NAME }))
  expect(await post(REQUEST, around(receiver.port))).toEqual({ kind: 'failed', error: 'tls_failed' })
  expect(receiver.received).toEqual([])
})

test('a closed port, a name without an address and a DNS failure each have an error of their own', async () => {
  const receiver = await openReceiver()
  await receiver.stop()
  expect(await post(REQUEST, around(receiver.port))).toEqual({ kind: 'failed', error: 'refused' })
  const nowhere = { ...sayOf([]), resolve4: () => Promise.reject(dnsError('ENOTFOUND', 'as told')) }
  expect(await post(REQUEST, around(receiver.port, nowhere))).toEqual({ kind: 'failed', error: 'no_address' })
  const broken = { ...sayOf([]), resolve4: () => Promise.reject(dnsError('ESERVFAIL', 'as told')) }
  expect(await post(REQUEST, around(receiver.port, broken))).toEqual({ kind: 'failed', error: 'dns_failed' })
})

test('a response that is not HTTP or is interrupted is a failure', async () => {
  const chatty = await openOddity((socket) => socket.once('data', () => socket.end('220 mx.example ESMTP\r\n')))
  expect(await post(REQUEST, around(chatty))).toEqual({ kind: 'failed', error: 'not_http' })
  const rude = await openOddity((socket) => socket.once('data', () => socket.destroy()))
  expect(await post(REQUEST, around(rude))).toEqual({ kind: 'failed', error: 'connection_lost' })
  const endless = await openOddity((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const timer = setInterval(() => socket.write(`x: ${'y'.repeat(8_000)}\r\n`), 1)
    socket.once('close', () => clearInterval(timer))
  })
  expect(await post(REQUEST, around(endless))).toEqual({ kind: 'failed', error: 'not_http' })
  const upgrades = await openOddity((socket) =>
    socket.once('data', () => socket.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')),
  )
  expect(await post(REQUEST, around(upgrades))).toEqual({ kind: 'failed', error: 'connection_lost' })
})

test('an endless response is read up to a limit, and its status counts', { tags: ['timed'] }, async () => {
  let sent = 0
  const { port } = await openReceiver((_, response) => {
    response.writeHead(200)
    const go = () => {
      while (!response.destroyed && response.write('x'.repeat(16_384))) sent += 16_384
    }
    response.on('drain', go)
    go()
    return 200
  })
  const began = performance.now()
  expect(await post(REQUEST, around(port))).toMatchObject({ kind: 'answered', status: 200 })
  expect(performance.now() - began).toBeLessThan(10_000)
  expect(sent).toBeLessThan(50_000_000)
})

test.each([
  ['says nothing', () => {}],
  ['answers a byte at a time', (socket: Socket) => void drip(socket)],
])(
  'a receiver that %s times out after 15 seconds, and its connection is closed',
  { tags: ['timed'] },
  async (_, behave) => {
    let closed = false
    const port = await openOddity((socket) => {
      socket.once('close', () => (closed = true))
      behave(socket)
    })
    const began = performance.now()
    expect(await post(REQUEST, around(port))).toEqual({ kind: 'failed', error: 'timeout' })
    const tookMs = performance.now() - began
    expect(tookMs).toBeGreaterThan(14_500)
    expect(tookMs).toBeLessThan(17_000)
    await expect.poll(() => closed).toBe(true)
  },
)

function drip(socket: Socket): void {
  const timer = setInterval(() => socket.write('x'), 200)
  socket.write('HTTP/1.1 200 OK\r\nx: ')
  socket.once('close', () => clearInterval(timer))
}
