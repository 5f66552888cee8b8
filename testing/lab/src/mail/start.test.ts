import { existsSync } from 'node:fs'
import { connect as connectTls } from 'node:tls'
import { expect, test, vi } from 'vitest'
import { startDns } from '../dns/start.ts'
import { startRelay } from '../relay.ts'
import { freePort } from '../services/daemon.ts'
import { whenDone } from '../when-done.ts'
import { MAIL_DOMAINS, MAIL_HOSTS, type MailHostId } from './data/mail-fixtures.ts'
import { GREYLISTED_FOR_S } from './postgrey.ts'
import { startMailServers } from './start.ts'
import { askRecipients, callServer, listen } from './test-client.ts'
import { listProcesses } from './test-processes.ts'

const mail = await startMailServers({ port: await freePort() })
whenDone(() => mail.stop())

const MAILBOXES = Object.entries(MAIL_DOMAINS).flatMap(([domain, { at, mailboxes }]) =>
  mailboxes.map((mailbox) => ({ ...mailbox, at, email: `${mailbox.local}@${domain}` })),
)
const HOST_IDS = Object.keys(MAIL_HOSTS) as MailHostId[]

test.concurrent.each(MAILBOXES)('$at replies $reply for $email ($is)', async ({ at, email, reply, later }) => {
  const ask = () => askRecipients(mail.servers[at], [email])
  expect(await ask()).toEqual([reply])
  if (later === undefined) return
  const askAgain = async () => expect(await ask()).toEqual([later])
  await vi.waitFor(askAgain, { timeout: 4_000 * GREYLISTED_FOR_S, interval: 250 })
})

test('greylisting sees the IP address of the client through the relay', async () => {
  const email = 'ada@postfix-greylisting.example'
  const replies = await askRecipients(mail.servers.postfixGreylisting, [email], '127.99.0.1')
  expect(replies).toEqual([expect.stringContaining('Greylisted')])
})

test.each(HOST_IDS)('%s sends its own name in the banner', async (id) => {
  const { hear, ask } = callServer(mail.servers[id])
  expect((await hear()).text).toMatch(new RegExp(`^220 ${MAIL_HOSTS[id].name} ESMTP (Postfix|Exim|OpenSMTPD)`))
  await ask('QUIT')
})

test.each([
  ['postfix', 'PIPELINING', true],
  ['postfix', 'SMTPUTF8', true],
  ['postfix', 'STARTTLS', false],
  ['postfixStarttls', 'STARTTLS', true],
  ['postfixTlsOnly', 'STARTTLS', true],
  ['postfixAscii', 'SMTPUTF8', false],
  ['exim', 'PIPELINING', true],
  ['opensmtpd', 'PIPELINING', false],
] as const)('%s and the EHLO capability %s: %s', async (id, capability, offered) => {
  const { hear, ask } = callServer(mail.servers[id])
  await hear()
  expect((await ask('EHLO client.example')).split(/[\n -]/).includes(capability)).toBe(offered)
  await ask('QUIT')
})

test.each(['postfixStarttls', 'postfixTlsOnly'] as const)('%s accepts its mailbox over TLS', async (id) => {
  const plain = callServer(mail.servers[id])
  await plain.hear()
  await plain.ask('EHLO client.example')
  expect(await plain.ask('STARTTLS')).toBe('220 2.0.0 Ready to start TLS')

  plain.socket.removeAllListeners('data')
  const secure = connectTls({ socket: plain.socket, rejectUnauthorized: false })
  const { ask } = listen(secure)
  await ask('EHLO client.example')
  await ask('MAIL FROM:<sender@client.example>')
  const domain = Object.keys(MAIL_DOMAINS).find((name) => MAIL_DOMAINS[name]?.at === id)
  expect(await ask(`RCPT TO:<ada@${domain}>`)).toBe('250 2.1.5 Ok')
  expect(secure.authorizationError).toBe('DEPTH_ZERO_SELF_SIGNED_CERT')
  await ask('QUIT')
})

// The next tests exceed limits on purpose and connect to the servers directly: the relays record misconduct.

test.concurrent('Postfix delays replies from the eleventh rejection on and disconnects after the twentieth', {
  tags: ['timed'],
}, async () => {
  const { hear, say, ask } = callServer(mail.servers.postfix.behind)
  await hear()
  await ask('EHLO client.example')
  await ask('MAIL FROM:<sender@client.example>')
  const tookMs: number[] = []
  for (let n = 1; n <= 20; n++) {
    say(`RCPT TO:<nobody-${n}@postfix.example>`)
    const { text, ms } = await hear()
    expect(text).toMatch(/^550 5\.1\.1 /)
    tookMs.push(ms)
  }
  expect(Math.max(...tookMs.slice(0, 10))).toBeLessThan(900)
  expect(Math.min(...tookMs.slice(10))).toBeGreaterThan(900)
  expect((await hear()).text).toBe('421 4.7.0 mx.postfix.example Error: too many errors')
  expect((await hear()).text).toBe('')
})

test.concurrent('Postfix keeps its error count after RSET', { tags: ['timed'] }, async () => {
  const { hear, ask } = callServer(mail.servers.postfix.behind)
  await hear()
  await ask('EHLO client.example')
  for (let n = 1; n <= 10; n++) {
    await ask('MAIL FROM:<sender@client.example>')
    await ask(`RCPT TO:<nobody-${n}@postfix.example>`)
    if (n < 10) await ask('RSET')
  }
  const began = performance.now()
  await ask('RSET')
  expect(performance.now() - began).toBeGreaterThan(900)
  await ask('QUIT')
})

test('Postfix disconnects a client that pipelines before PIPELINING is offered', async () => {
  const { hear, say } = callServer(mail.servers.postfix.behind)
  await hear()
  say('EHLO client.example', 'MAIL FROM:<sender@client.example>')
  expect((await hear()).text).toBe('554 5.5.0 Error: SMTP protocol synchronization')
  expect((await hear()).text).toBe('')
})

test('the strict Exim disconnects at the fourth unknown recipient', async () => {
  const { hear, ask } = callServer(mail.servers.eximStrict.behind)
  await hear()
  await ask('EHLO client.example')
  await ask('MAIL FROM:<sender@client.example>')
  const replies: string[] = []
  for (let n = 1; n <= 4; n++) replies.push(await ask(`RCPT TO:<nobody-${n}@exim-strict.example>`))
  expect(replies).toEqual([
    '550 No Such User Here',
    '550 No Such User Here',
    '550 No Such User Here',
    '550 Too many failed recipients',
  ])
  expect((await hear()).text).toBe('')
})

test('the MX records of a domain lead to its server', async () => {
  const dns = await startDns({ names: mail.names, faults: {} })
  whenDone(() => dns.stop())
  for (const [domain, { at }] of Object.entries(MAIL_DOMAINS)) {
    const [mx] = await dns.resolver().resolveMx(domain)
    expect(await dns.resolver().resolve4(`${mx?.exchange}`)).toEqual([mail.servers[at].host])
  }
})

test('a second set of servers starts within ten seconds, counts connections and leaves nothing behind', {
  tags: ['timed'],
}, async () => {
  const began = performance.now()
  const other = await startMailServers({ port: await freePort() })
  const startedInMs = performance.now() - began
  const { opensmtpd, exim, postfix } = other.servers
  await askRecipients(exim, ['ada@exim.example'])
  await askRecipients(exim, ['ada@exim.example'])
  const idle = [postfix, exim.behind, opensmtpd.behind].map((place) => callServer(place)) // still running at the end
  for (const { hear } of idle) await hear()
  expect([opensmtpd, exim, postfix].map((server) => server.connections())).toEqual([0, 2, 1])
  const folders = Object.values(other.servers).map((server) => /^.*?probity-[^/]+/.exec(server.logFile)?.[0] ?? '')
  expect(folders.map((folder) => listProcesses(folder).length > 0)).toEqual(folders.map(() => true))
  await other.stop()

  await vi.waitFor(() => expect(folders.flatMap(listProcesses)).toEqual([]))
  expect(folders.filter((folder) => existsSync(folder))).toEqual([])
  expect(startedInMs).toBeLessThan(10_000)
  for (const { hear } of idle) expect((await hear()).text).not.toMatch(/^[23]/)
  for (const server of Object.values(other.servers)) {
    for (const place of [server, server.behind]) expect((await callServer(place).hear()).text).toBe('')
  }
})

test('no server starts when its port is taken on one address', async () => {
  const children = countChildren()
  const port = await freePort()
  const taken = await startRelay({ host: MAIL_HOSTS.postfix.host, port, to: mail.servers.postfix })
  whenDone(() => taken.stop())
  await expect(startMailServers({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  // There are fewer when a child of an earlier test ends only now.
  await vi.waitFor(() => expect(countChildren()).toBeLessThanOrEqual(children))
  expect((await callServer({ host: MAIL_HOSTS.opensmtpd.host, port }).hear()).text).toBe('')
})

function countChildren(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length
}
