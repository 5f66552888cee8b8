import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { frame, RCODES, TYPES, writeName } from '../dns/packet.ts'
import { resolverAt } from '../dns/start.ts'
import { whenDone } from '../when-done.ts'
import { startSimulatedDns } from './dns.ts'
import { layOut } from './loopback.ts'
import { createMailPopulation } from './population.ts'
import { makeZone } from './zone.ts'

const simulation = createMailPopulation({ seed: 7, domains: 400, addresses: 1_000 })
const loopback = layOut('127.77', simulation.domains)
const zone = makeZone(simulation, loopback)
const dns = await startSimulatedDns(zone, 0)
whenDone(() => dns.stop())
const resolver = resolverAt(dns.port)

function writeQuestion(name: string, type: number, flags = 0x01): Buffer {
  return Buffer.concat([
    Buffer.from([0xab, 0xcd, flags, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
    writeName(name),
    Buffer.from([0, type, 0, 1]),
  ])
}

/** The datagrams received within a quarter of a second. */
async function send(...messages: Buffer[]): Promise<Buffer[]> {
  const socket = createSocket('udp4')
  const answers: Buffer[] = []
  socket.on('message', (answer) => answers.push(answer))
  for (const message of messages) socket.send(message, dns.port, '127.0.0.1')
  await new Promise((resolve) => setTimeout(resolve, 250))
  socket.close()
  return answers
}

test('every domain with a mail server resolves to a loopback address with a listener', async () => {
  const listening = new Set(loopback.listeners.map(({ address }) => address))
  for (const { name, hosts, site } of simulation.domains.filter((domain) => domain.site !== null)) {
    const exchanges = hosts.length > 0 ? (await resolver.resolveMx(name)).map(({ exchange }) => exchange) : [name]
    expect(exchanges.toSorted((a, b) => a.localeCompare(b))).toEqual(
      (hosts.length > 0 ? hosts.map((host) => host.name) : [name]).toSorted((a, b) => a.localeCompare(b)),
    )
    const addresses = await Promise.all(exchanges.map((host) => resolver.resolve4(host)))
    expect(
      addresses.flat().some((address) => listening.has(address)),
      `${name} at ${site}`,
    ).toBe(true)
  }
})

test('a domain with a dead first mail host lists it before the working host', async () => {
  const { listeners, addressOf } = loopback
  const [gone] = simulation.domains.filter(({ behaviour }) => behaviour === 'first_mx_dead')
  const [first, second] = await Promise.all((gone?.hosts ?? []).map(({ name }) => resolver.resolve4(name)))
  const closed = addressOf(gone?.hosts[0]?.name ?? '')
  expect(first).toEqual([closed])
  expect(listeners.map(({ address }) => address)).toContain(second?.[0])
  expect(listeners.map(({ address }) => address)).not.toContain(closed)
})

test('every mail host has a loopback address of its own', () => {
  const { listeners, addressOf, web } = loopback
  expect(new Set(listeners.map(({ address }) => address)).size).toBe(listeners.length)
  const local = simulation.domains.flatMap(({ hosts }) =>
    hosts.filter(({ where }) => where === 'site' || where === 'closed'),
  )
  const names = new Set(local.map(({ name }) => name))
  const addresses = new Set([...names].map(addressOf))
  expect(names.size).toBeGreaterThan(300)
  expect(addresses.size).toBe(names.size)
  expect(addresses).not.toContain(web)
})

test('a share of the domains publishes SPF and DMARC', async () => {
  const names = Object.keys(zone.names)
  const domains = simulation.domains.filter(({ name }) => names.includes(name))
  const spf = domains.filter(({ name }) => zone.names[name]?.txt?.some((text) => String(text).startsWith('v=spf1')))
  const dmarc = names.filter((name) => name.startsWith('_dmarc.'))
  expect(spf.length / domains.length).toBeCloseTo(0.75, 1)
  expect(dmarc.length / domains.length).toBeCloseTo(0.45, 1)
  expect(await resolver.resolveTxt(spf[0]?.name ?? '')).toContainEqual([expect.stringMatching(/^v=spf1 /)])
  expect(await resolver.resolveTxt(dmarc[0] ?? '')).toEqual([['v=DMARC1; p=none']])
})

test.each([
  ['gmial.com', TYPES.mx, RCODES.nxdomain],
  ['nobody.gmail.com', TYPES.a, RCODES.nxdomain],
  ['gamil.com', TYPES.mx, RCODES.noerror],
  ['google.com', TYPES.a, RCODES.noerror],
  ['gmail.com', TYPES.aaaa, RCODES.noerror],
])('the server returns a negative response with its TTL for %s and type %d', async (name, type, rcode) => {
  const [answer] = await send(writeQuestion(name, type))
  expect((answer?.readUInt8(3) ?? 0) & 0x0f).toBe(rcode)
  expect(answer?.readUInt16BE(6)).toBe(0) // number of answers
  expect(answer?.readUInt16BE(8)).toBe(1) // number of authority records: the SOA
  expect(answer?.readUInt32BE(answer.length - 4)).toBe(60)
})

test('domains with failing servers, and their subdomains, return SERVFAIL', async () => {
  const [failing = ''] = zone.failing
  for (const answer of await send(writeQuestion(failing, TYPES.mx), writeQuestion(`_dmarc.${failing}`, TYPES.txt))) {
    expect(answer.readUInt8(3) & 0x0f).toBe(RCODES.servfail)
  }
})

test('every response fits into a datagram', async () => {
  const questions = Object.keys(zone.names).flatMap((name) =>
    [TYPES.mx, TYPES.txt].map((type) => writeQuestion(name, type)),
  )
  const lengths: number[] = []
  // The system drops datagrams that do not fit into the buffer of a socket while its process waits for the processor.
  for (let n = 0; n < questions.length; n += 20) {
    lengths.push(...(await send(...questions.slice(n, n + 20))).map(({ length }) => length))
  }
  expect(lengths).toHaveLength(questions.length)
  expect(Math.max(...lengths)).toBeLessThanOrEqual(512)
})

test('the server replies over TCP to several queries on one connection, split at any byte', async () => {
  const socket = connect(dns.port, '127.0.0.1')
  whenDone(() => socket.destroy())
  const questions = Buffer.concat([
    frame(writeQuestion('gmail.com', TYPES.mx)),
    frame(writeQuestion('gmial.com', TYPES.mx)),
  ])
  socket.write(questions.subarray(0, 40))
  await once(socket, 'data')
  socket.write(questions.subarray(40))
  const [second] = (await once(socket, 'data')) as [Buffer]
  expect(second.readUInt8(5) & 0x0f).toBe(RCODES.nxdomain)
})

test('the server ignores a message that is not a query, so that two servers never loop', async () => {
  const isAnswer = 0x81
  const inPieces = writeQuestion('gmail.com', TYPES.mx).subarray(0, 20)
  expect(
    await send(writeQuestion('gmail.com', TYPES.mx, isAnswer), inPieces, Buffer.alloc(0), Buffer.alloc(5)),
  ).toEqual([])
})
