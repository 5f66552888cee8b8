import { expect, test, vi } from 'vitest'
import { whenDone } from '../when-done.ts'
import {
  blocksUs,
  catchAll,
  gmx,
  goDaddy,
  google,
  greylists,
  hangsUpAfter,
  heloOnly,
  limitedRecipients,
  microsoft,
  microsoft365,
  mimecast,
  oneRecipient,
  tarpit,
  yahoo,
} from './providers.ts'
import { type Script, startScripted } from './server.ts'
import { talk } from './test-client.ts'

const WAIT_MS = 3_000
const EHLO = 'EHLO probe.example'
const MAIL = 'MAIL FROM:<probe@example.com>'

/** Local parts that begin with "real" have a mailbox. */
const directory = { exists: (recipient: string) => recipient.startsWith('real') }

function rcpt(who: string): string {
  return `RCPT TO:<${who.includes('@') ? who : `${who}@example.com`}>`
}

async function start(script: Script) {
  const server = await startScripted(script, { host: '127.0.0.1', port: 0 })
  whenDone(() => server.stop())
  const say = (commands: string[], localAddress = '127.0.0.1') =>
    talk({ host: server.host, port: server.port, localAddress }, commands, WAIT_MS)
  /** Sends all recipients in one transaction and returns their replies only. */
  const ask = async (recipients: string[], localAddress?: string) => {
    const { codes } = await say([EHLO, MAIL, ...recipients.map(rcpt), 'QUIT'], localAddress)
    return codes.slice('220 250 250 '.length).split(' ').slice(0, recipients.length).join(' ')
  }
  return { server, say, ask }
}

test('Outlook.com accepts one recipient per transaction', async () => {
  const { ask, say } = await start(microsoft(directory))
  expect(await ask(['real', 'real2'])).toBe('250 452')
  const { codes, text } = await say([EHLO, MAIL, rcpt('real'), 'RSET', MAIL, rcpt('gone'), 'QUIT'])
  expect(codes).toBe('220 250 250 250 250 250 550 221')
  expect(text).toContain('550 5.5.0 Requested action not taken: mailbox unavailable')
})

test('Microsoft 365 rejects unknown recipients with "Access denied"', async () => {
  const { text, codes } = await (await start(microsoft365(directory))).say([
    EHLO,
    MAIL,
    rcpt('real'),
    rcpt('gone'),
    'QUIT',
  ])
  expect(codes).toBe('220 250 250 250 550 221')
  expect(text).toContain('550 5.4.1 Recipient address rejected: Access denied')
})

test('Google uses several lines for absent, full and disabled mailboxes', async () => {
  const script = google({
    ...directory,
    isFull: (recipient) => recipient.startsWith('full'),
    isDisabled: (recipient) => recipient.startsWith('disabled'),
  })
  const { say } = await start(script)
  const { codes, text } = await say([EHLO, MAIL, ...['real', 'gone', 'full', 'disabled'].map(rcpt), 'QUIT'])
  expect(codes).toBe('220 250 250 250 550 452 550 221')
  expect(text).toMatch(/550-5\.1\.1 [^\n]+\n550-5\.1\.1 [^\n]+\n550 5\.1\.1 .*NoSuchUser/)
  expect(text).toContain('452 4.2.2 OverQuotaTemp')
  expect(text).toContain('550 5.2.1 DisabledUser')
})

test('Google accepts one domain per transaction', async () => {
  const { ask } = await start(google(directory))
  expect(await ask(['real@a.example', 'real@b.example', 'real2@a.example'])).toBe('250 451 250')
})

test('GMX disconnects after the first rejected recipient', async () => {
  const { say } = await start(gmx(directory))
  const { codes, end } = await say([EHLO, MAIL, rcpt('real'), rcpt('gone'), rcpt('real2'), 'QUIT'])
  expect({ codes, end }).toEqual({ codes: '220 250 250 250 550', end: 'closed' })
})

test.each([
  ['Yahoo', yahoo],
  ['a catch-all', catchAll],
])('%s accepts every recipient', async (_name, script) => {
  const { ask, server } = await start(script())
  expect(await ask(['real', 'gone'])).toBe('250 250')
  expect(server.recipients).toEqual(['real@example.com', 'gone@example.com'])
})

test('Mimecast greylists a new triplet and then reports the real state', async () => {
  const { ask } = await start(mimecast({ ...directory, holdMs: 300, invalidMax: 5 }))
  expect(await ask(['real', 'gone'])).toBe('451 451')
  await vi.waitFor(async () => expect(await ask(['real', 'gone'])).toBe('250 550'), 5_000)
  expect(await ask(['real'], '127.0.0.2')).toBe('451')
})

test('Mimecast defers a client that probes too many unknown recipients', async () => {
  const { ask, say } = await start(mimecast({ ...directory, holdMs: 0, invalidMax: 2 }))
  expect(await ask(['gone', 'lost', 'real'])).toBe('550 550 451')
  expect((await say([EHLO, MAIL, rcpt('real'), 'QUIT'])).text).toContain('451 Recipient temporarily unavailable')
  expect(await ask(['real'], '127.0.0.2')).toBe('250')
})

test('GoDaddy blocks an IP address that probes too many unknown recipients, over all its connections', async () => {
  const { ask, say } = await start(goDaddy({ ...directory, invalidMax: 3 }))
  expect(await ask(['gone', 'lost'])).toBe('550 550')
  expect(await ask(['away', 'real'])).toBe('550 554')
  const { codes, text, end } = await say([EHLO])
  expect({ codes, end }).toEqual({ codes: '554', end: 'closed' })
  expect(text).toContain('127.0.0.1 is blocked')
  expect(text).toContain('IB112')
  expect(await ask(['real'], '127.0.0.2')).toBe('250')
})

test('oneRecipient accepts a single recipient per transaction', async () => {
  const { ask } = await start(oneRecipient(directory))
  expect(await ask(['gone', 'real', 'real2'])).toBe('550 250 452')
})

test('the tarpit delays replies more with every rejected recipient', { tags: ['timed'] }, async () => {
  const { ask } = await start(tarpit({ ...directory, stepMs: 100 }))
  const began = performance.now()
  expect(await ask(['gone', 'lost', 'away', 'real'])).toBe('550 550 550 250')
  expect(performance.now() - began).toBeGreaterThan(600 - 10)
})

test('the LIMITS server advertises its recipient limit and enforces it', async () => {
  const { ask, say } = await start(limitedRecipients(directory))
  expect((await say([EHLO, 'QUIT'])).text).toContain('250 LIMITS RCPTMAX=2\r\n')
  expect(await ask(['gone', 'real', 'real2'])).toBe('550 250 452')
  const { codes } = await say([EHLO, MAIL, rcpt('real'), rcpt('gone'), 'RSET', MAIL, rcpt('real2'), 'QUIT'])
  expect(codes).toBe('220 250 250 250 550 250 250 250 221')
})

test('the HELO-only server rejects EHLO', async () => {
  const { say } = await start(heloOnly(directory))
  const { codes } = await say([EHLO, 'HELO probe.example', MAIL, rcpt('real'), rcpt('gone'), 'QUIT'])
  expect(codes).toBe('220 500 250 250 250 550 221')
})

test('the server disconnects after a fixed number of recipients', async () => {
  const { say } = await start(hangsUpAfter({ ...directory, recipientsMax: 2 }))
  const { codes, end } = await say([EHLO, MAIL, rcpt('real'), rcpt('gone'), rcpt('real2'), 'QUIT'])
  expect({ codes, end }).toEqual({ codes: '220 250 250 250 550', end: 'closed' })
})

test.each([
  ['banner', '554'],
  ['mail', '220 250 554 250 221'],
  ['rcpt', '220 250 250 554 221'],
] as const)('the server blocks our IP address at %s', async (at, codes) => {
  const met = await (await start(blocksUs({ at }))).say([EHLO, MAIL, rcpt('real'), 'QUIT'])
  expect(met.codes).toBe(codes)
  expect(met.text).toContain('554 5.7.1 Service unavailable; Client host [127.0.0.1] blocked using dnsbl.example')
})

test('greylisting depends on client, sender and recipient', async () => {
  const { ask, say } = await start(greylists({ ...directory, holdMs: 300 }))
  expect(await ask(['real', 'gone'])).toBe('450 450')
  await vi.waitFor(async () => expect(await ask(['real', 'gone'])).toBe('250 550'), 5_000)
  expect(await ask(['real2'])).toBe('450')
  expect(await ask(['real'], '127.0.0.2')).toBe('450')
  expect((await say([EHLO, 'MAIL FROM:<other@example.com>', rcpt('real'), 'QUIT'])).text).toContain('450 4.2.0')
})
