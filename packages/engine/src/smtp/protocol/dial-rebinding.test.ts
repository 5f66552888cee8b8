import dns from 'node:dns'
import { once } from 'node:events'
import { connect, Socket } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { publicInternet } from './address-policy.ts'
import { dialHost } from './dial.ts'
import {
  isPublic,
  listEdges,
  makeRandom,
  REGISTERED_IPV4,
  REGISTERED_IPV6,
  writeIpv4,
  writeIpv6,
} from './test-addresses.ts'
import { fakeDns, loopback } from './test-dialing.ts'

const ROUNDS = 10_000

/** Names that Node looks up by itself. The mock replaces every lookup, so no query leaves the machine. */
const lookups: string[] = []
beforeAll(() => {
  vi.spyOn(dns, 'lookup').mockImplementation(((name: string, _: unknown, done: (error: Error) => void) => {
    lookups.push(name)
    process.nextTick(done, new Error('Lookups by Node are not allowed.'))
  }) as typeof dns.lookup)
})
afterAll(() => vi.restoreAllMocks())

const PRIVATE = [
  ...REGISTERED_IPV4.flatMap((block) => listEdges(block).inside.map(writeIpv4)),
  ...['127.1', '0x7f.1', '2130706433', '0', 'localhost', '', '168.63.129.16', '169.254.169.254'],
]
const PRIVATE_SIX = [
  ...REGISTERED_IPV6.flatMap((block) => listEdges(block).inside.map(writeIpv6)),
  ...['::ffff:127.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::', '::7f00:1', '::ffff:0:127.0.0.1', 'fe80::1%lo'],
]
const PUBLIC = ['8.8.8.8', '1.1.1.1', '9.255.255.255', '11.0.0.0', '100.128.0.0', '172.32.0.0', '223.255.255.255']
const PUBLIC_SIX = ['2606:4700::1111', '2a00:1450::1a', '2001:200::', '3fff:1000::', '::ffff:8.8.4.4']

test('the test detects a lookup by Node', async () => {
  const socket = connect({ host: 'mx.example', port: 25 })
  await once(socket, 'error')
  expect(lookups.splice(0)).toEqual(['mx.example'])
})

test(`dialHost connects to no private address in ${ROUNDS} rounds with a rebinding resolver, and queries it once`, async () => {
  const random = makeRandom(53)
  const pick = (list: string[]) => list[random(list.length)] ?? ''
  const some = (list: string[]) => Array.from({ length: 1 + random(3) }, () => pick(list))
  const mix = (...lists: string[][]) => lists.flat().toSorted(() => random(3) - 1)
  const targets: { host: string; port: number }[] = []
  vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...args: unknown[]) {
    targets.push((args as [[{ host: string; port: number }]])[0][0])
    process.nextTick(() => this.destroy(Object.assign(new Error('throttled'), { code: 'ECONNREFUSED' })))
    return this
  })
  const policy = publicInternet()
  const wrong = []
  let dials = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const four = [[some(PUBLIC)], [mix(some(PUBLIC), some(PRIVATE))], [some(PRIVATE)], []][random(4)] ?? []
    const six = [[some(PUBLIC_SIX)], [mix(some(PUBLIC_SIX), some(PRIVATE_SIX))], [some(PRIVATE_SIX)]][random(3)] ?? []
    // The first response is checked by the policy; any further query returns private addresses only.
    const said = fakeDns({
      four: [...(four.length > 0 ? four : ['ENODATA' as const]), some(PRIVATE)],
      six: [...six, some(PRIVATE_SIX)],
    })
    const dialed = await dialHost('mx.example', { ...loopback([], 25), dns: said.dns, policy })

    const dialedNow = targets.splice(0)
    dials += dialedNow.length
    const answered = [...four.flat(), ...six.flat()]
    const forbidden = dialedNow.filter(({ host, port }) => port !== 25 || !answered.includes(host) || !isPublic(host))
    const usable = answered.some((address) => PUBLIC.includes(address) || PUBLIC_SIX.includes(address))
    const expected = usable ? 'refused' : 'not_routable'
    const isAsExpected = dialed.kind === 'failed' && dialed.failure === expected && dialedNow.length > 0 === usable
    if (forbidden.length > 0 || !isAsExpected || said.asked.four !== 1 || said.asked.six > 1) {
      wrong.push({ four, six, forbidden, dialed, asked: said.asked })
    }
  }
  expect(wrong).toEqual([])
  expect(dials).toBeGreaterThan(ROUNDS / 2)
  expect(lookups).toEqual([])
})
