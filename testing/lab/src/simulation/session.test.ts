import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { resolverAt } from '../dns/start.ts'
import { makeFolder, removeFolder } from '../services/daemon.ts'
import { listMisconduct } from '../smtp/record.ts'
import { whenDone } from '../when-done.ts'
import { DOMAINS_MIN } from './domains.ts'
import { startSimulation } from './start.ts'

const folder = makeFolder('probity-world')
whenDone(() => removeFolder(folder))
const running = await startSimulation({ seed: 3, domains: DOMAINS_MIN, addresses: 500 })
whenDone(() => running.stop())

const [GMX = ''] = await resolverAt(running.dnsPort).resolve4('mx00.gmx.net')
const UNKNOWN_RCPT = 'RCPT TO:<no-such-person@gmx.de>\r\n'

/** Sends all pieces, each after a reply, and reads until the server disconnects. */
async function say(pieces: string[]): Promise<string> {
  const socket = connect(running.smtpPort, GMX).setEncoding('utf8')
  let heard = ''
  socket.on('data', (text: string) => {
    heard += text
    const next = pieces.shift()
    if (next !== undefined) socket.write(next)
  })
  await once(socket, 'end')
  socket.end()
  await once(socket, 'close')
  return heard
}

async function listRecorded(name: string, pieces: string[]) {
  const file = join(folder, name)
  vi.stubEnv('PROBITY_SMTP_RECORD', file)
  const heard = await say(pieces)
  await vi.waitFor(() => expect(existsSync(file)).toBe(true))
  return { heard, misconduct: listMisconduct(file) }
}

const HELLO = ['EHLO client.example\r\n', 'MAIL FROM:<sender@client.example>\r\n']

test('the record has no misconduct of a client within the limits', async () => {
  const { heard, misconduct } = await listRecorded('polite', [...HELLO, UNKNOWN_RCPT])
  expect(heard).toMatch(/550 Requested action not taken: mailbox unavailable\r\n$/)
  expect(misconduct).toEqual([])
})

test('recipients sent after the server disconnected count as misconduct', async () => {
  const { heard, misconduct } = await listRecorded('greedy', [...HELLO, UNKNOWN_RCPT.repeat(3)])
  expect(heard.match(/^550/gm)).toHaveLength(1)
  expect(misconduct).toEqual([expect.stringMatching(/gmx refused 3 recipients on one connection and bears 1/)])
})

test('a forbidden verb counts as misconduct', async () => {
  const { heard, misconduct } = await listRecorded('rude', [...HELLO, 'VRFY somebody\r\n', 'QUIT\r\n'])
  expect(heard).toMatch(/502 5\.5\.2/)
  expect(misconduct).toEqual([expect.stringMatching(/gmx was sent VRFY/)])
})

test('the server disconnects a client that sends without end', async () => {
  const socket = connect(running.smtpPort, GMX).resume()
  socket.on('error', () => {}) // the server may reset a connection with unread bytes
  socket.write('x'.repeat(100_000))
  await once(socket, 'close')
})
