import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test, vi } from 'vitest'
import { callServer } from './mail/test-client.ts'
import { startRelay } from './relay.ts'
import { makeFolder, removeFolder } from './services/daemon.ts'
import type { SessionRecord } from './smtp/record.ts'
import { startScripted } from './smtp/server.ts'
import { whenDone } from './when-done.ts'

const HOST = '127.26.0.1'

type RelayExtras = Pick<Parameters<typeof startRelay>[0], 'delayMs' | 'record'>

async function relayTo(to: { host: string; port: number }, extras: RelayExtras = {}) {
  const relay = await startRelay({ host: HOST, port: 0, to, ...extras })
  whenDone(() => relay.stop())
  return relay
}

/** A server whose connections the test controls. */
async function serve(take: (socket: Socket) => void): Promise<{ host: string; port: number }> {
  const server: Server = createServer({ allowHalfOpen: true }, take)
  server.listen(0, HOST)
  await once(server, 'listening')
  whenDone(() => server.close())
  const address = server.address()
  return { host: HOST, port: typeof address === 'object' && address ? address.port : 0 }
}

async function serveMail() {
  const server = await startScripted(
    {
      helo: () => '503 5.5.1 Not now',
      rcpt: (_, recipient) => (recipient.startsWith('no') ? '550-5.1.1 No such\n550 5.1.1 user' : '250 2.1.5 Ok'),
    },
    { host: HOST, port: 0 },
  )
  whenDone(() => server.stop())
  return server
}

test('the relay delays a round trip by the configured time and the banner by two round trips', {
  tags: ['timed'],
}, async () => {
  const relay = await relayTo(await serveMail(), { delayMs: 200 })
  const { hear, ask } = callServer(relay)
  const banner = await hear()
  expect(banner.text).toBe('220 mx.example ESMTP')
  expect(banner.ms).toBeGreaterThan(395)
  expect(banner.ms).toBeLessThan(790)
  const began = performance.now()
  await ask('EHLO client.example')
  expect(performance.now() - began).toBeGreaterThan(195)
  expect(performance.now() - began).toBeLessThan(390)
  await ask('QUIT')
})

test.each([0, 20])('the relay keeps bytes in order and closes both sides with a delay of %i ms', async (delayMs) => {
  const place = await serve((socket) => socket.pipe(socket))
  const client = connect({ ...(await relayTo(place, { delayMs })), allowHalfOpen: true })
  const sent = Array.from({ length: 200_000 }, (_, n) => `${n} `)
  for (let n = 0; n < sent.length; n += 1_000) client.write(sent.slice(n, n + 1_000).join(''))
  client.end()
  expect(await text(client)).toBe(sent.join(''))
})

test.each([0, 20])('a server may reply after the client has half-closed with a delay of %i ms', async (delayMs) => {
  const place = await serve((socket) => {
    socket.resume()
    socket.on('end', () => socket.end('you said enough'))
  })
  const client = connect({ ...(await relayTo(place, { delayMs })), allowHalfOpen: true })
  client.end('enough')
  expect(await text(client)).toBe('you said enough')
})

test.each([0, 20])('a reset by one side reaches the other with a delay of %i ms', async (delayMs) => {
  const errors: string[] = []
  const place = await serve((socket) => {
    socket.on('error', (error: NodeJS.ErrnoException) => errors.push(`${error.code}`))
    socket.once('data', (said) => said.includes('reset me') && socket.resetAndDestroy())
  })
  const relay = await relayTo(place, { delayMs })
  const victim = connect(relay)
  victim.write('reset me')
  await expect(once(victim, 'end')).rejects.toMatchObject({ code: 'ECONNRESET' })

  const culprit = connect(relay)
  await once(culprit, 'connect')
  culprit.write('hello', () => culprit.resetAndDestroy())
  await vi.waitFor(() => expect(errors).toEqual(['ECONNRESET']))
})

test('the client is reset when no server listens behind the relay', async () => {
  const relay = await relayTo({ host: HOST, port: 1 })
  await expect(once(connect(relay), 'end')).rejects.toMatchObject({ code: 'ECONNRESET' })
})

test('the relay counts connections, and the server sees the client address', async () => {
  const seen: string[] = []
  const relay = await relayTo(
    await serve((socket) => {
      seen.push(`${socket.remoteAddress}`)
      socket.end()
    }),
  )
  for (const localAddress of ['127.0.0.1', '127.26.7.7']) {
    await once(connect({ ...relay, localAddress }).resume(), 'close')
  }
  expect(seen).toEqual(['127.0.0.1', '127.26.7.7'])
  expect(relay.connections()).toBe(2)
})

test('the relay records verbs and rejected recipients only, pipelined or not', async () => {
  const sessions = keepRecord()
  const relay = await relayTo(await serveMail(), { record: { server: 'behind', errorsMax: 3 } })
  const { hear, say, ask } = callServer(relay)
  await hear()
  await ask('ehlo client.example')
  say('MAIL FROM:<>', 'RCPT TO:<no-one@x.example>', 'RCPT TO:<ada@x.example>', 'RCPT TO:<bob@x.example>', 'HELO x')
  for (let n = 0; n < 5; n++) await hear()
  await ask('QUIT')
  await vi.waitFor(() =>
    expect(sessions()).toEqual([
      {
        server: 'behind',
        verbs: ['EHLO', 'MAIL', 'RCPT', 'RCPT', 'RCPT', 'HELO', 'QUIT'],
        refused: 1,
        errorsMax: 3,
      },
    ]),
  )
})

test('the relay does not parse encrypted bytes as commands', async () => {
  const sessions = keepRecord()
  const place = await serve((socket) => {
    socket.write('220 hello\r\n')
    socket.on('data', (said) => socket.write(said.includes('STARTTLS') ? '220 go ahead\r\n' : 'RCPT\r\n550 no\r\n'))
    socket.on('end', () => socket.end())
  })
  const { hear, say, ask, socket } = callServer(await relayTo(place, { record: { server: 'behind', errorsMax: null } }))
  await hear()
  await ask('STARTTLS')
  say('RCPT TO:<looks@like.example>')
  await once(socket, 'data')
  socket.end()
  await vi.waitFor(() =>
    expect(sessions()).toEqual([{ server: 'behind', verbs: ['STARTTLS'], refused: 0, errorsMax: null }]),
  )
})

test('a paused relay forwards nothing, and all of it in order when it resumes', async () => {
  const seen: string[] = []
  const place = await serve((socket) => {
    socket.on('data', (bytes) => seen.push(String(bytes)))
    socket.on('end', () => socket.end('goodbye'))
  })
  const relay = await relayTo(place)
  const [early, late] = [connect(relay), connect({ ...relay, allowHalfOpen: true })]
  early.write('before')
  await vi.waitFor(() => expect(seen).toEqual(['before']))
  relay.pause()
  late.write('one ')
  late.end('two')
  early.end('after')
  // Sent later, on a path that is not paused.
  connect(await relayTo(place)).end('marker')
  await vi.waitFor(() => expect(seen).toContain('marker'))
  expect(seen).toEqual(['before', 'marker'])
  relay.resume()
  expect(await text(late)).toBe('goodbye')
  await vi.waitFor(() => expect(seen.join(' ')).toContain('after'))
  expect(seen.slice(2).toSorted()).toEqual(['after', 'one two'])
})

test('stopping the relay closes all connections', async () => {
  const relay = await startRelay({ host: HOST, port: 0, to: await serve((socket) => socket.write('220 hello\r\n')) })
  const { hear } = callServer(relay)
  await hear()
  await relay.stop()
  expect((await hear()).text).toBe('')
  await expect(once(connect(relay), 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

function keepRecord(): () => SessionRecord[] {
  const folder = makeFolder('probity-record')
  const file = join(folder, 'sessions')
  vi.stubEnv('PROBITY_SMTP_RECORD', file)
  whenDone(() => {
    vi.unstubAllEnvs()
    removeFolder(folder)
  })
  return () =>
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as SessionRecord)
      .filter(({ server }) => server === 'behind') // the scripted server keeps a record too
}
