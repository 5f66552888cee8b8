import { expect, test, vi } from 'vitest'
import { resolverAt } from '../dns/start.ts'
import { callServer } from '../mail/test-client.ts'
import { freePort } from '../services/daemon.ts'
import { whenDone } from '../when-done.ts'
import type { BehaviourName } from './data/behaviours.ts'
import { DOMAINS_MIN } from './domains.ts'
import type { SimulatedAddress } from './population.ts'
import { startSimulation } from './start.ts'
import { askWorld, type Heard } from './test-prober.ts'

// Manual sessions of this file are not recorded.
vi.stubEnv('PROBITY_SMTP_RECORD', undefined)

const began = process.cpuUsage()
const running = await startSimulation({ seed: 1, domains: 2_000, addresses: 100_000 })
const spent = process.cpuUsage(began)
whenDone(() => running.stop())
const { simulation, smtpPort } = running

test('a simulation of the usual size starts within three seconds', () => {
  expect((spent.user + spent.system) / 1_000_000).toBeLessThan(3)
})

test('the policy allows connections to the mail servers of the simulation only', () => {
  const { policy } = running
  expect(policy.port).toBe(smtpPort)
  expect(policy.allows('127.77.1.1')).toBe(true)
  for (const address of [
    '127.0.0.1',
    '127.7.7.1',
    '10.20.30.1',
    '127.77.1',
    '127.77.1.1.1',
    '::1',
    '::ffff:127.77.1.1',
  ]) {
    expect(policy.allows(address), address).toBe(false)
  }
})

test('the DNS of a simulation has the names with which a worker checks its resolver', async () => {
  const { zone, absentBelow, mailDomains } = running.resolverNames
  const dns = resolverAt(running.dnsPort)
  expect(await dns.resolveSoa(zone)).toMatchObject({ nsname: 'ns.world.example' })
  await expect(dns.resolve4(`random.${absentBelow}`)).rejects.toMatchObject({ code: 'ENOTFOUND' })
  for (const domain of mailDomains) expect(await dns.resolveMx(domain)).toHaveLength(1)
})

/** The reply text of each verdict, in the reply to RCPT or, without one, in the last reply before it. */
const WORDS: Record<string, RegExp> = {
  mailbox_full: /^(4|5)52[ -].*(full|quota|storage|pleine|size limit)/i,
  mailbox_disabled: /^550[ -].*(disabled|inactive|suspended|archiv)/is,
  mailbox_moved: /^551 .*moved/,
  mailbox_not_found: /^(550|554 5\.7\.1 .*Invalid-Recipient|450 4\.1\.1 .*undeliverable)/,
  domain_not_hosted: /^554 .*Relay access denied/,
  blocked: /^55[04] .*(denied|blocked using|block list|black list|problem occurred)/,
  server_error: /^451 /,
  smtputf8_unsupported: /^553 5\.6\.7/,
}
const ACCEPTED_BY_ALL = ['catch_all', 'provider_unverifiable', 'disposable']

/** Whether the replies for an address and for a missing one at its domain show the expected verdict. */
function shows(subStatus: string, heard: Heard, control: Heard): boolean {
  if (heard.kind !== 'reply') return heard.kind === subStatus
  if (subStatus === '') return heard.text.startsWith('250') && !control.text.startsWith('250')
  if (ACCEPTED_BY_ALL.includes(subStatus)) return heard.text.startsWith('250') && control.text.startsWith('250')
  return WORDS[subStatus]?.test(heard.text) ?? false
}

/** Some addresses of each behavior and, when there are several states of mailboxes, of each state. */
function sample(): SimulatedAddress[] {
  const counts = new Map<string, number>()
  return simulation.addresses.filter(({ behaviour, exists, email }) => {
    const kind = `${behaviour} ${exists} ${/[^ -~]/.test(email)}`
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
    return behaviour !== 'broken' && (counts.get(kind) ?? 0) <= 2
  })
}

test('replies match the expected verdict of each address', {
  timeout: 60_000,
}, async () => {
  const addresses = sample()
  expect(addresses.length).toBeGreaterThan(250)
  const wrong = await Promise.all(
    addresses.map(async ({ email, behaviour }) => {
      const heard = await askWorld(running, email)
      const control = await askWorld(running, `nobody-${email}`)
      const expected = simulation.expected(email).verdicts.map(({ subStatus }) => subStatus)
      return expected.some((subStatus) => shows(subStatus, heard, control))
        ? []
        : [{ email, behaviour, heard, expected }]
    }),
  )
  expect(wrong.flat()).toEqual([])
})

function domainOf(behaviour: BehaviourName): string {
  return simulation.domains.find((domain) => domain.behaviour === behaviour)?.name ?? ''
}

async function hostOf(behaviour: BehaviourName): Promise<string> {
  return (await askWorld(running, `postmaster@${domainOf(behaviour)}`)).address
}

/** An SMTP session with a server of the behavior after MAIL, and a known recipient of it. */
async function meet(behaviour: BehaviourName, hello = 'EHLO client.example') {
  const domain = domainOf(behaviour)
  const talk = callServer({ host: await hostOf(behaviour), port: smtpPort })
  whenDone(() => talk.socket.destroy())
  const isKnown = ({ exists, email }: SimulatedAddress) => exists === 'yes' && /^[ -~]+$/.test(email)
  const known = simulation.addresses.find((address) => isKnown(address) && address.email.endsWith(`@${domain}`))
  await talk.hear()
  const offers = await talk.ask(hello)
  await talk.ask('MAIL FROM:<sender@client.example>')
  return { ...talk, offers, rcpt: `RCPT TO:<${known?.email}>`, unknownRcpt: `RCPT TO:<no-such-person@${domain}>` }
}

test('the server answers pipelined recipients in order', async () => {
  const { say, hear, rcpt, unknownRcpt, offers } = await meet('gmail')
  expect(offers).toContain('PIPELINING')
  say('RSET', 'MAIL FROM:<sender@client.example>', rcpt, unknownRcpt, rcpt, 'QUIT')
  const codes: string[] = []
  for (let n = 0; n < 6; n += 1) codes.push((await hear()).text.slice(0, 3))
  expect(codes).toEqual(['250', '250', '250', '550', '250', '221'])
  expect((await hear()).text).toBe('')
})

test.each<[BehaviourName, string]>([
  ['no_pipelining', 'EHLO client.example'],
  ['postfix', 'HELO client.example'],
])('%s disconnects a client that sends ahead after %s', async (behaviour, hello) => {
  const { say, hear, rcpt } = await meet(behaviour, hello)
  say(rcpt, rcpt)
  expect((await hear()).text).toMatch(/^554 5\.5\.0 .*synchronization/)
  expect((await hear()).text).toBe('')
})

test('a server with a greeting delay rejects a client that sends before the banner', async () => {
  const host = await hostOf('greet_pause')
  const hasty = callServer({ host, port: smtpPort })
  const patient = callServer({ host, port: smtpPort })
  whenDone(() => [hasty, patient].forEach(({ socket }) => void socket.destroy()))
  expect(await hasty.ask('EHLO client.example')).toMatch(/^554 /)
  expect((await patient.hear()).text).toMatch(/^220 /)
})

test.each<[BehaviourName, number, RegExp]>([
  ['outlook', 1, /^452 4\.5\.3/],
  ['microsoft365', 1, /^452 4\.5\.3/],
  ['one_recipient', 1, /^452 4\.5\.3/],
  ['limits', 2, /^452 4\.5\.3/],
  ['mox', 1, /^452 4\.5\.3 only one/],
])('%s accepts %d recipients per transaction, and more in the next one', async (behaviour, max, refusal) => {
  const { ask, rcpt } = await meet(behaviour)
  for (let n = 0; n < max; n += 1) expect(await ask(rcpt)).toMatch(/^250/)
  expect(await ask(rcpt)).toMatch(refusal)
  await ask('RSET')
  await ask('MAIL FROM:<sender@client.example>')
  expect(await ask(rcpt)).toMatch(/^250/)
})

test('Google accepts one domain per transaction', async () => {
  const { ask, rcpt } = await meet('gmail')
  await ask(rcpt)
  const { rcpt: elsewhere } = await meet('google_workspace')
  expect(await ask(elsewhere)).toMatch(/^451-4\.3\.0/)
})

test.each<[BehaviourName, number, RegExp]>([
  ['gmx', 1, /^$/],
  ['ionos', 1, /^$/],
  ['hangs_up', 1, /^$/],
  ['exim', 5, /^421 .*Too many failed recipients/],
  ['exchange', 5, /^421 4\.7\.0 Too many errors/],
  ['icloud', 10, /^421 4\.7\.0 .*too many errors/],
])('%s disconnects after %d rejected recipients', async (behaviour, errors, lastWords) => {
  const { ask, hear, unknownRcpt } = await meet(behaviour)
  for (let n = 0; n < errors; n += 1) expect(await ask(unknownRcpt)).toMatch(/^550/)
  expect((await hear()).text).toMatch(lastWords)
  expect((await hear()).text).toBe('')
})

test('the tarpit delays every reply more with each rejection', { tags: ['timed'] }, async () => {
  const { say, hear, rcpt, unknownRcpt } = await meet('tarpit')
  const took: number[] = []
  for (const command of [rcpt, unknownRcpt, unknownRcpt, unknownRcpt, rcpt]) {
    say(command)
    took.push((await hear()).ms)
  }
  expect(took[1]).toBeGreaterThanOrEqual(95)
  expect(took[3]).toBeGreaterThanOrEqual(395)
  expect(took[4]).toBeGreaterThanOrEqual(395)
  expect(took[0]).toBeLessThan(took[1] ?? 0)
})

test('Exchange delays rejections and no other reply', { tags: ['timed'] }, async () => {
  const { say, hear, rcpt, unknownRcpt } = await meet('exchange')
  say(unknownRcpt)
  expect((await hear()).ms).toBeGreaterThanOrEqual(295)
  say(rcpt)
  expect((await hear()).ms).toBeLessThan(295)
})

test('a server accepts recipients of its own domains only', async () => {
  const { ask } = await meet('comcast')
  const { rcpt } = await meet('gmail')
  expect(await ask(rcpt)).toMatch(/^554 5\.7\.1 .*Relay access denied/)
})

test('a server without EHLO accepts HELO', async () => {
  expect((await meet('helo_only')).offers).toMatch(/^502/)
  const { offers, ask, rcpt, unknownRcpt } = await meet('helo_only', 'HELO client.example')
  expect(offers).toMatch(/^250 /)
  expect(await ask(rcpt)).toMatch(/^250/)
  expect(await ask(unknownRcpt)).toMatch(/^550/)
})

test('every third connection to a busy server is rejected', async () => {
  const host = await hostOf('sometimes_busy')
  const banners: string[] = []
  for (let n = 0; n < 6; n += 1) {
    const { hear, socket } = callServer({ host, port: smtpPort })
    banners.push((await hear()).text.slice(0, 3))
    socket.destroy()
  }
  expect(banners.toSorted((a, b) => a.localeCompare(b))).toEqual(['220', '220', '220', '220', '421', '421'])
})

test('greylisting delays each triplet for one to three seconds, and a later one anew', {
  tags: ['timed'],
  timeout: 15_000,
}, async () => {
  const { ask, unknownRcpt } = await meet('greylisting')
  const triplet = unknownRcpt.replace('no-such-person', `${Date.now()}`)
  const began = performance.now()
  expect(await ask(triplet)).toMatch(/^450 4\.2\.0 .*Greylisted for [123] seconds/)
  await vi.waitFor(async () => expect(await ask(triplet)).toMatch(/^550 5\.1\.1/), { timeout: 5_000, interval: 900 })
  expect(performance.now() - began).toBeGreaterThanOrEqual(1_000)
  await ask('RSET')
  await ask('MAIL FROM:<other@client.example>')
  expect(await ask(triplet)).toMatch(/^450/)
})

test('two thousand connections at once all receive replies', { timeout: 60_000 }, async () => {
  const people = simulation.addresses.filter(({ behaviour }) => behaviour === 'gmail').slice(0, 2_000)
  const before = running.connections()
  const hosts = simulation.findDomain('gmail.com')?.hosts ?? []
  const resolver = resolverAt(running.dnsPort)
  const addresses = (await Promise.all(hosts.map(({ name }) => resolver.resolve4(name)))).flat()
  const talks = people.map((_, n) => callServer({ host: addresses[n % addresses.length] ?? '', port: smtpPort }))
  whenDone(() => talks.forEach(({ socket }) => void socket.destroy()))
  const banners = await Promise.all(talks.map(async ({ hear }) => (await hear()).text))
  expect(banners.filter((banner) => banner.startsWith('220'))).toHaveLength(2_000)
  expect(running.connections() - before).toBe(2_000)

  const answers = await Promise.all(
    talks.map(async ({ ask }, n) => {
      await ask('EHLO client.example')
      await ask('MAIL FROM:<sender@client.example>')
      return (await ask(`RCPT TO:<${people[n]?.email}>`)).slice(0, 3)
    }),
  )
  const expected = people.map(
    ({ exists }) => ({ yes: '250', no: '550', full: '452', disabled: '550', moved: '551' })[exists],
  )
  expect(answers).toEqual(expected)
})

test('several simulations run at once, but not on one port, and leave nothing behind', async () => {
  const size = { seed: 2, domains: DOMAINS_MIN, addresses: 200 }
  await expect(startSimulation({ ...size, port: smtpPort })).rejects.toThrow('EADDRINUSE')
  const port = await freePort()
  await expect(startSimulation({ ...size, port, dnsPort: running.dnsPort, addressBase: '127.78' })).rejects.toThrow(
    'EADDRINUSE',
  )

  const other = await startSimulation({ ...size, port, addressBase: '127.78' })
  const [address = ''] = await resolverAt(other.dnsPort).resolve4('gmail-smtp-in.l.google.com')
  const { hear, socket } = callServer({ host: address, port })
  whenDone(() => socket.destroy())
  expect((await hear()).text).toMatch(/^220 /)
  expect(other.policy.allows(address)).toBe(true)
  expect(other.policy.allows('127.77.1.1')).toBe(false)
  await other.stop()
  expect((await hear()).text).toBe('')
  expect((await callServer({ host: address, port }).hear()).text).toBe('')
  await expect(resolverAt(other.dnsPort).resolveMx('gmail.com')).rejects.toThrow('ECONNREFUSED')
})
