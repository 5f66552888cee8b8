import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { whenDone } from '../when-done.ts'
import { listMisconduct } from './record.ts'
import { type Script, startScripted } from './server.ts'
import { talk } from './test-client.ts'

const EHLO = 'EHLO probe.example'
const MAIL = 'MAIL FROM:<probe@example.com>'

async function start(script: Script) {
  const server = await startScripted(script, { host: '127.0.0.1', port: 0 })
  whenDone(() => server.stop())
  return server
}

test('the server replies as a plain server when the script has no reply', async () => {
  const { codes, text } = await talk(await start({}), [EHLO, MAIL, 'RCPT TO:<a@example.com>', 'RSET', 'QUIT'], 3_000)
  expect(codes).toBe('220 250 250 250 250 221')
  expect(text).toContain('250-mx.example\r\n250-PIPELINING\r\n250 8BITMIME\r\n')
})

test('the server answers pipelined commands in order, however slow the script is', async () => {
  const server = await start({
    rcpt: (_peer, recipient) => ({ reply: recipient.startsWith('a') ? '250 Ok' : '550 No', afterMs: 20 }),
  })
  const asked = [MAIL, 'RCPT TO:<a@example.com>', 'RCPT TO:<b@example.com>', 'RCPT TO:<a2@example.com>'].join('\n')
  expect((await talk(server, [EHLO, asked, 'QUIT'], 3_000)).codes).toBe('220 250 250 250 550 250 221')
})

test('the server survives clients that reset the connection', async () => {
  const server = await start({ mail: () => ({ reply: '250 Ok', afterMs: 50 }) })
  for (let n = 0; n < 10; n++) {
    const socket = connect(server)
    await once(socket, 'data')
    socket.write(`${EHLO}\r\n${MAIL}\r\n`)
    await once(socket, 'data')
    socket.resetAndDestroy()
  }
  expect((await talk(server, [EHLO, MAIL, 'QUIT'], 3_000)).codes).toBe('220 250 250 221')
  expect(server.connections()).toBe(11)
})

test('the server records the commands of every connection, so that the run can find misconduct', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'probity-record-'))
  whenDone(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'sessions')
  vi.stubEnv('PROBITY_SMTP_RECORD', file)
  whenDone(() => vi.unstubAllEnvs())

  const server = await start({ name: 'strict.example', errorsMax: 1, rcpt: () => '550 No' })
  await talk(server, [EHLO, MAIL, 'RCPT TO:<a@example.com>', 'QUIT'], 3_000)
  expect(listMisconduct(file)).toEqual([])
  const asked = [MAIL, 'RCPT TO:<a@example.com>', 'RCPT TO:<b@example.com>', 'DATA']
  expect((await talk(server, [EHLO, ...asked, 'QUIT'], 3_000)).codes).toBe('220 250 250 550 550 502 221')
  await vi.waitFor(() =>
    expect(listMisconduct(file)).toEqual([
      'strict.example was sent DATA',
      'strict.example refused 2 recipients on one connection and bears 1',
    ]),
  )
})
