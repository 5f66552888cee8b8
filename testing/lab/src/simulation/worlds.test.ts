import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test, vi } from 'vitest'
import { resolverAt } from '../dns/start.ts'
import { callServer } from '../mail/test-client.ts'
import { whenDone } from '../when-done.ts'
import { BEHAVIOURS, POSTFIX_REPLIES } from './data/behaviours.ts'
import { HARD_BEHAVIOURS, type HardBehaviourName, WORLDS, type World, type WorldName } from './data/worlds.ts'
import { domainIn, type SimulatedAddress } from './population.ts'
import { openRecipients } from './recipients.ts'
import { startSimulation } from './start.ts'
import { createWorld, joinPopulations, splitIntoRounds, WORLD_NAMES } from './worlds.ts'

// Manual sessions of this file are not recorded.
vi.stubEnv('PROBITY_SMTP_RECORD', undefined)

/** A clock that is twenty times as fast: the outages of a server last 150 ms. */
const running = await startSimulation({
  worlds: WORLD_NAMES.filter((name) => (WORLDS[name] as World).resolver === undefined),
  keepsReplies: true,
  timeFactor: 20,
})
whenDone(() => running.stop())
const { simulation, smtpPort } = running

test.each(WORLD_NAMES)('world %s has the same 25 addresses per domain each time, of which five are missing', (name) => {
  const { domains, addresses } = createWorld(name)
  expect(createWorld(name).addresses).toEqual(addresses)
  expect(new Set(addresses.map(({ email }) => email)).size).toBe(addresses.length)
  expect(domains).toHaveLength(name === 'tenant_block' ? 30 : 20)
  for (const domain of domains) {
    const own = addresses.filter(({ email }) => domainIn(email) === domain.name)
    const missing = own.filter(({ exists }) => exists === 'no')
    expect([own.length, missing.length], domain.name).toEqual([25, name === 'not_hosted' ? 25 : 5])
  }
})

test('behaviors of worlds have other names than those of lists, and all local parts have a vowel', () => {
  expect(Object.keys(HARD_BEHAVIOURS).filter((name) => Object.hasOwn(BEHAVIOURS, name))).toEqual([])
  expect(simulation.addresses.filter(({ email }) => !/[aeiouy].*@/.test(email))).toEqual([])
})

test('the first of two rounds has twelve existing addresses per domain, and both together have all', () => {
  const world = createWorld('ban_text')
  const [first = [], second = []] = splitIntoRounds('ban_text', world)
  expect(first).toHaveLength(12 * 20)
  expect(first.filter(({ exists }) => exists !== 'yes')).toEqual([])
  expect(new Set([...first, ...second])).toEqual(new Set(world.addresses))
  const whole = createWorld('relay_one')
  expect(splitIntoRounds('relay_one', whole)).toEqual([whole.addresses])
})

test('a joined population has the expected verdicts of its parts', () => {
  const [one, other] = [createWorld('relay_one'), createWorld('gibberish_filter')]
  const both = joinPopulations([one, other])
  for (const part of [one, other]) {
    for (const { email } of part.addresses) expect(both.expected(email)).toEqual(part.expected(email))
  }
})

type Talk = ReturnType<typeof callServer>

/** The addresses of the first domain of a behavior: an existing one, a missing one, and some on no list. */
function recipientsOf(behaviour: HardBehaviourName) {
  const name = simulation.domains.find((domain) => domain.behaviour === behaviour)?.name ?? ''
  const find = (isMeant: (address: SimulatedAddress) => boolean) =>
    simulation.addresses
      .filter((address) => domainIn(address.email) === name && isMeant(address))
      .map(({ email }) => email)
  return {
    name,
    yes: find(({ exists, special }) => exists === 'yes' && special === undefined),
    no: find(({ exists, special }) => exists === 'no' && special === undefined),
    special: find(({ special }) => special !== undefined),
    unlistedName: [`julia.kinangduld@${name}`],
    gibberish: [`bcdfghjkmnpqrs@${name}`],
  }
}

type Recipients = keyof Omit<ReturnType<typeof recipientsOf>, 'name'>

async function addressOf(behaviour: HardBehaviourName, host: number): Promise<string> {
  const { name } = recipientsOf(behaviour)
  const mx = (await resolverAt(running.dnsPort).resolveMx(name)).toSorted((a, b) =>
    a.priority === b.priority ? a.exchange.localeCompare(b.exchange) : a.priority - b.priority,
  )
  const [address = ''] = await resolverAt(running.dnsPort).resolve4(mx[host]?.exchange ?? '')
  return address
}

/** A session after MAIL; `client` is the address that the server sees. */
async function meet(host: string): Promise<Talk> {
  const talk = callServer({ host, port: smtpPort })
  whenDone(() => talk.socket.destroy())
  await talk.hear()
  await talk.ask('EHLO client.example')
  await talk.ask('MAIL FROM:<sender@client.example>')
  return talk
}

const TAKEN = /^250 /
const UNKNOWN = /^550 5\.1\.1 .*User unknown/
const RELAY = /^554 5\.7\.1 .*Relay access denied/
const [BLOCKED, NETWORK] = [/^550 Blocked$/, /^554 Host network not allowed$/]

test.each<[HardBehaviourName, host: number, Partial<Record<Recipients, RegExp>>]>([
  ['backup_accepts_all_0', 0, { yes: TAKEN, no: UNKNOWN, unlistedName: UNKNOWN, gibberish: UNKNOWN }],
  ['backup_accepts_all_0', 1, { yes: TAKEN, no: TAKEN, gibberish: TAKEN }],
  ['backup_accepts_all_50', 1, { yes: TAKEN, no: TAKEN }],
  ['backup_accepts_all_100', 1, { yes: TAKEN, no: TAKEN }],
  ['backup_true', 1, { yes: TAKEN, no: UNKNOWN }],
  ['relay_one', 0, { yes: TAKEN, no: UNKNOWN, special: RELAY }],
  ['relay_one', 1, { yes: TAKEN, no: UNKNOWN, special: RELAY }],
  ['not_hosted_by_two', 0, { no: RELAY, unlistedName: RELAY }],
  ['not_hosted_by_two', 1, { no: RELAY, unlistedName: RELAY }],
  ['control_only', 0, { yes: TAKEN, no: UNKNOWN, unlistedName: BLOCKED, gibberish: BLOCKED }],
  ['control_only_by_network', 0, { yes: TAKEN, no: UNKNOWN, unlistedName: NETWORK, gibberish: NETWORK }],
  ['control_only_catch_all', 0, { yes: TAKEN, no: TAKEN, unlistedName: BLOCKED, gibberish: TAKEN }],
  ['control_only_catch_all_by_network', 0, { yes: TAKEN, no: TAKEN, unlistedName: NETWORK, gibberish: TAKEN }],
  ['gibberish_filter', 0, { yes: TAKEN, no: TAKEN, unlistedName: TAKEN, gibberish: UNKNOWN }],
  ['catch_all_left', 0, { yes: TAKEN, no: TAKEN, unlistedName: TAKEN, gibberish: TAKEN }],
  ['hosts_disagree_accepts', 0, { yes: TAKEN, no: TAKEN }],
  ['hosts_disagree_accepts', 1, { yes: TAKEN, no: UNKNOWN }],
  ['hosts_disagree_accepts_second', 0, { yes: TAKEN, no: UNKNOWN }],
  ['hosts_disagree_accepts_second', 1, { yes: TAKEN, no: TAKEN }],
  ['hosts_disagree_rejects', 0, { yes: UNKNOWN, no: UNKNOWN }],
  ['hosts_disagree_rejects_second', 1, { yes: UNKNOWN, no: UNKNOWN }],
  ['tenant_block_others', 0, { yes: TAKEN, no: /^550 5\.4\.1 .*Access denied/ }],
])('a server of %s, host %d, replies %o', async (behaviour, host, replies) => {
  const recipients = recipientsOf(behaviour)
  const address = await addressOf(behaviour, host)
  for (const [kind, reply] of Object.entries(replies) as [Recipients, RegExp][]) {
    const { ask } = await meet(address)
    expect(await ask(`RCPT TO:<${recipients[kind][0]}>`), kind).toMatch(reply)
  }
})

test('a catch-all rejects the names that have left, and its expected verdicts say so', async () => {
  const { special } = recipientsOf('catch_all_left')
  const { ask } = await meet(await addressOf('catch_all_left', 0))
  const found = []
  for (const email of special) {
    const [{ subStatus = '' } = {}] = simulation.expected(email).verdicts
    found.push([subStatus, await ask(`RCPT TO:<${email}>`)])
  }
  expect(found).toEqual(
    expect.arrayContaining([
      ['mailbox_not_found', '550 No such user here'],
      ['mailbox_not_found', '550 No such user here'],
      ['mailbox_disabled', expect.stringMatching(/^550 5\.2\.1 .*disabled/)],
      ['mailbox_full', expect.stringMatching(/^452 4\.2\.2 .*full/)],
    ]),
  )
})

test('one of thirty customers blocks every recipient', async () => {
  const { yes, no } = recipientsOf('tenant_block')
  expect([...yes, ...no]).toHaveLength(25)
  const { ask } = await meet(await addressOf('tenant_block', 0))
  expect(await ask(`RCPT TO:<${yes[0]}>`)).toMatch(/^550 5\.7\.1 .* blocked by your organization\. \[/)
})

test('a server that bans by text does so from the 13th recipient on, over all connections of a client', async () => {
  const { yes, no } = recipientsOf('ban_text')
  const address = await addressOf('ban_text', 0)
  const replies: string[] = []
  for (const recipients of [yes.slice(0, 6), [...no, ...yes.slice(6, 9)]]) {
    const { ask } = await meet(address)
    for (const email of recipients) replies.push(await ask(`RCPT TO:<${email}>`))
  }
  const codes = replies.map((reply) => reply.slice(0, 3)).join(' ')
  expect(codes).toBe('250 250 250 250 250 250 550 550 550 550 550 250 550 550')
  expect(replies.slice(-2)).toEqual(['550 Rejected', '550 Rejected'])
})

test('a server with outages refuses connections for a part of the time', async () => {
  const host = await addressOf('backup_accepts_all_50', 0)
  const seen = new Set<string | undefined>()
  await vi.waitFor(
    async () => {
      const socket = connect(smtpPort, host)
      seen.add(
        await once(socket, 'connect').then(
          () => 'open',
          ({ code }: NodeJS.ErrnoException) => code,
        ),
      )
      socket.destroy()
      // Also ECONNRESET, if the port is closed between the handshake and the acceptance.
      expect([...seen]).toEqual(expect.arrayContaining(['open', 'ECONNREFUSED']))
    },
    { timeout: 10_000, interval: 20 },
  )
})

test('hosts that are always closed refuse connections', async () => {
  const address = await addressOf('backup_accepts_all_100', 0)
  expect((await callServer({ host: address, port: smtpPort }).hear()).text).toBe('')
})

test('of two equal hosts one closes after its greeting, and the other ends three in ten sessions with 421', async () => {
  const broken = callServer({ host: await addressOf('partial_outage', 0), port: smtpPort })
  expect((await broken.hear()).text).toMatch(/^220 /)
  expect((await broken.hear()).text).toBe('')

  const host = await addressOf('partial_outage', 1)
  const { yes } = recipientsOf('partial_outage')
  const sixth: string[] = []
  for (let n = 0; n < 10; n += 1) {
    const { ask } = await meet(host)
    for (const email of yes.slice(0, 5)) expect(await ask(`RCPT TO:<${email}>`)).toMatch(TAKEN)
    sixth.push((await ask(`RCPT TO:<${yes[5]}>`)).slice(0, 3))
  }
  expect(sixth.filter((code) => code === '421')).toHaveLength(3)
})

test('the record has all replies to a recipient, and counts control recipients as commands', async () => {
  const { yes, gibberish } = recipientsOf('control_only')
  const before = running.recipients().commands
  const { ask } = await meet(await addressOf('control_only', 0))
  await ask(`RCPT TO:<${gibberish[0]}>`)
  await ask(`RCPT TO:<${yes[3]}>`)
  const { commands, replies } = running.recipients()
  expect(commands - before).toBe(2)
  expect(replies[yes[3] ?? '']).toEqual(['250 2.1.5 Ok'])
  expect(replies[gibberish[0] ?? '']).toBeUndefined()
})

test.each<[WorldName, unknown, unknown]>([
  ['resolver_lies_nxdomain', 'ENOTFOUND', 'ENOTFOUND'],
  ['resolver_lies_servfail', 'ESERVFAIL', 'ESERVFAIL'],
  ['resolver_lies_wildcard', 'ENODATA', [expect.stringMatching(/^127\.78\./)]],
])('the resolver of %s answers a query for MX with %o and for an address with %o', async (name, mx, address) => {
  const lied = await startSimulation({ worlds: [name], addressBase: '127.78' })
  whenDone(() => lied.stop())
  const resolver = resolverAt(lied.dnsPort)
  const orCode = (look: Promise<unknown>) => look.catch(({ code }: NodeJS.ErrnoException) => code)
  for (const domain of [lied.simulation.domains[0]?.name ?? '', 'made-up.example']) {
    expect(await orCode(resolver.resolveMx(domain))).toEqual(mx)
    expect(await orCode(resolver.resolve4(domain))).toEqual(address)
  }
})

test('a resolver that lies needs a simulation of its own', async () => {
  await expect(startSimulation({ worlds: ['resolver_lies_nxdomain', 'relay_one'] })).rejects.toThrow(RangeError)
})

test('a ban by rejections ignores accepted recipients and ends after its time', () => {
  let now = 0
  const world = createWorld('ban_text')
  const [domain] = world.domains
  const emails = world.addresses.filter(({ email }) => domainIn(email) === domain?.name)
  const [yes = '', no = ''] = (['yes', 'no'] as const).map(
    (state) => emails.find(({ exists }) => exists === state)?.email,
  )
  const ban = { after: 2, of: 'rejections', forMs: 60_000, reply: '550 Rejected' } as const
  const hosts = domain?.hosts.map((host) => ({ ...host, rules: { ban } })) ?? []
  const { answer } = openRecipients(
    { ...world, findDomain: () => domain && { ...domain, hosts } },
    { now: () => now, timeFactor: 60 },
  )
  const ask = (rcpt: string, client = '127.0.0.1') => {
    const server = { site: 'postfix', address: '127.77.0.1', mailHost: hosts[0]?.name ?? '' } as const
    return answer({ server, takesUtf8: true, client, sender: 'sender@client.example', rcpt })
  }
  expect([ask(yes), ask(yes), ask(no), ask(yes), ask(no), ask(yes)]).toEqual([
    '250 2.1.5 Ok',
    '250 2.1.5 Ok',
    POSTFIX_REPLIES.no,
    '250 2.1.5 Ok',
    POSTFIX_REPLIES.no,
    '550 Rejected',
  ])
  expect(ask(yes, '127.0.0.2')).toBe('250 2.1.5 Ok')
  now = 999
  expect(ask(yes)).toBe('550 Rejected')
  now = 1_001
  expect(ask(yes)).toBe('250 2.1.5 Ok')
})
