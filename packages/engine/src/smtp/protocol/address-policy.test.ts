import ipaddr from 'ipaddr.js'
import { expect, test } from 'vitest'
import { publicInternet } from './address-policy.ts'
import { CLOUD_SERVICES, SPECIAL_BLOCKS } from './data/special-addresses.ts'
import {
  bytesOf,
  isPublic,
  listEdges,
  makeRandom,
  REGISTERED_IPV4,
  REGISTERED_IPV6,
  writeIpv4,
  writeIpv6,
} from './test-addresses.ts'

const policy = publicInternet()

/** Notations of an IPv4 address for the same host, which have the same result. */
const SAME_HOST: Record<string, (number: bigint) => string> = {
  'dotted quad': writeIpv4,
  'mapped, dotted': (number) => `::ffff:${writeIpv4(number)}`,
  'mapped, hexadecimal': (number) => ipaddr.IPv6.parse(`::ffff:${writeIpv4(number)}`).toString(),
  'mapped, upper case': (number) => `::FFFF:${writeIpv6(number).slice(-9).toUpperCase()}`,
  'mapped, expanded': (number) => writeIpv6((0xffffn << 32n) | number),
}

/** Notations that a translator on the path converts to IPv4: rejected for every address, even a public one. */
const CARRIED: Record<string, (number: bigint) => string> = {
  'IPv4-compatible': (number) => `::${writeIpv4(number)}`,
  NAT64: (number) => `64:ff9b::${writeIpv4(number)}`,
  'NAT64, local use': (number) => `64:ff9b:1::${writeIpv4(number)}`,
  '6to4': (number) => writeIpv6((0x2002n << 112n) | (number << 80n) | 1n),
  'Teredo client': (number) => writeIpv6((0x2001_0000n << 96n) | (0x0808_0808n << 64n) | (number ^ 0xffff_ffffn)),
  'Teredo server': (number) => writeIpv6((0x2001_0000n << 96n) | (number << 64n) | 0xf7f7_f7f7n),
  SIIT: (number) => `::ffff:0:${writeIpv4(number)}`,
}

/** Notations that `inet_aton` and browsers read as an IPv4 address. */
const NO_ADDRESS: Record<string, (number: bigint) => string> = {
  'one number': (number) => number.toString(),
  'one hexadecimal number': (number) => `0x${number.toString(16)}`,
  'octal parts': (number) =>
    bytesOf(number, 4)
      .map((byte) => `0${byte.toString(8)}`)
      .join('.'),
  'two parts': (number) => `${number >> 24n}.${number & 0xffffffn}`,
  'with a zone': (number) => `::ffff:${writeIpv4(number)}%lo`,
  'with a port': (number) => `${writeIpv4(number)}:25`,
}

const IPV6_FORMS: Record<string, (number: bigint) => string> = {
  expanded: writeIpv6,
  'upper case': (number) => writeIpv6(number).toUpperCase(),
  compressed: (number) => ipaddr.IPv6.parse(writeIpv6(number)).toRFC5952String(),
  'without leading zeros': (number) => ipaddr.IPv6.parse(writeIpv6(number)).toNormalizedString(),
  'dotted at the end': (number) => `${writeIpv6(number).slice(0, 30)}${writeIpv4(number & 0xffff_ffffn)}`,
}

const edges4 = [...REGISTERED_IPV4, '168.63.129.16/32'].map(listEdges)
const edges6 = [...REGISTERED_IPV6, '2000::/3'].map(listEdges)

test.each(Object.entries(SAME_HOST))(
  'the policy forbids the ends of every registered IPv4 block and decides on the adjacent addresses, %s',
  (_, write) => {
    for (const number of edges4.flatMap(({ inside }) => inside)) {
      expect([write(number), policy.allows(write(number))]).toEqual([write(number), false])
    }
    const adjacent = edges4.flatMap(({ outside }) => outside)
    for (const number of adjacent) {
      expect([write(number), policy.allows(write(number))]).toEqual([write(number), isPublic(writeIpv4(number))])
    }
    expect(adjacent.filter((number) => policy.allows(write(number))).length).toBeGreaterThanOrEqual(20)
  },
)

test.each([...Object.entries(CARRIED), ...Object.entries(NO_ADDRESS)])(
  'the policy forbids every IPv4 address as %s',
  (_, write) => {
    const numbers = [0x0808_0808n, ...edges4.flatMap(({ inside, outside }) => [...inside, ...outside])]
    expect(numbers.map(write).filter((text) => policy.allows(text))).toEqual([])
  },
)

test.each(Object.entries(IPV6_FORMS))(
  'the policy forbids the ends of every registered IPv6 block and decides on the adjacent addresses, %s',
  (_, write) => {
    for (const number of edges6.slice(0, -1).flatMap(({ inside }) => inside)) {
      expect([write(number), policy.allows(write(number))]).toEqual([write(number), false])
    }
    for (const number of edges6.flatMap(({ inside, outside }) => [...inside, ...outside])) {
      expect([write(number), policy.allows(write(number))]).toEqual([write(number), isPublic(writeIpv6(number))])
    }
  },
)

test('the policy allows the addresses next to the blocks', () => {
  const open = [
    ...['1.0.0.0', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0'],
    ...['168.63.129.15', '168.63.129.17', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0'],
    ...['191.255.255.255', '192.0.1.0', '192.0.1.255', '192.0.3.0', '192.88.98.255', '192.88.100.0', '192.167.255.255'],
    ...['192.169.0.0', '198.17.255.255', '198.20.0.0', '198.51.99.255', '198.51.101.0', '203.0.112.255', '203.0.114.0'],
    ...[
      '223.255.255.255',
      '2000::',
      '2001:200::',
      '2001:db7:ffff::',
      '2001:db9::',
      '2003::',
      '2620:4f:8001::',
      '3ffe::',
    ],
    ...['3fff:1000::', '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '::ffff:8.8.8.8'],
  ]
  expect(open.filter((address) => !policy.allows(address))).toEqual([])
})

test('the policy forbids cloud metadata services and host names', () => {
  const closed = [
    ...['168.63.129.16', '::ffff:168.63.129.16', '169.254.169.254', '169.254.170.2', '100.100.100.200', '192.0.0.192'],
    ...['fd00:ec2::254', 'fd20:ce::254', 'fe80::a9fe:a9fe', '64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::'],
    ...['localhost', 'redis', 'mx.example.com', '', '8.8.8.8 ', '[2606:4700::1]'],
  ]
  expect(closed.filter((address) => policy.allows(address))).toEqual([])
})

test('the policy agrees with ipaddr.js on 100,000 addresses, half of them at the border of a block', () => {
  const random = makeRandom(25)
  const bits = (count: number) =>
    Array.from({ length: count / 16 }, () => random(0x10000)).reduce((all, part) => (all << 16n) | BigInt(part), 0n)
  const near = (edges: typeof edges4, size: bigint) => {
    const borders = edges.flatMap(({ inside, outside }) => [...inside, ...outside])
    const number = (borders[random(borders.length)] ?? 0n) + BigInt(random(513) - 256)
    return number < 0n || number >= size ? 0n : number
  }
  const same = Object.values(SAME_HOST)
  const six = Object.values(IPV6_FORMS)
  const write = (forms: typeof same, number: bigint) => forms[random(forms.length)]?.(number) ?? ''
  const makers = [
    () => write(same, bits(32)),
    // Half of the IPv6 addresses are in the range of public hosts; all others are forbidden.
    () => write(six, random(2) === 0 ? bits(128) : (1n << 125n) | (bits(128) >> 3n)),
    () => write(same, near(edges4, 1n << 32n)),
    () => write(six, near(edges6, 1n << 128n)),
  ]
  const disagreements = []
  let allowed = 0
  for (let n = 0; n < 100_000; n += 1) {
    const address = makers[n % makers.length]?.() ?? ''
    const allows = policy.allows(address)
    if (allows) allowed += 1
    if (allows !== isPublic(address)) disagreements.push(address)
  }
  expect(disagreements).toEqual([])
  expect(allowed).toBeGreaterThan(30_000)
  expect(allowed).toBeLessThan(70_000)
})

test('the policy also forbids addresses that the operator denies, in every notation', () => {
  const stricter = publicInternet(['8.8.8.8', '9.9.0.0/16', '2606:4700::/32', '2a00::53'])
  const denied = ['8.8.8.8', '::ffff:8.8.8.8', '::ffff:808:808', '9.9.255.255', '2606:4700:ffff::1', '2A00:0::0053']
  expect(denied.filter((address) => stricter.allows(address))).toEqual([])
  expect(denied.filter((address) => !policy.allows(address))).toEqual([])
  expect(['8.8.8.7', '9.10.0.0', '2606:4701::', '2a00::54'].filter((address) => !stricter.allows(address))).toEqual([])
  expect(stricter.allows('10.0.0.1')).toBe(false)
})

test.each(['example.com', '10.0.0.0/40', '127.1', ''])('publicInternet throws when the operator denies %j', (entry) => {
  expect(() => publicInternet([entry])).toThrow('neither an IP address nor a CIDR range')
})

test('the port of the policy is 25', () => {
  expect(policy.port).toBe(25)
})

test('the tables list each block once, with a reason', () => {
  const rows = [...SPECIAL_BLOCKS, ...CLOUD_SERVICES]
  expect(new Set(rows.map(({ block }) => block)).size).toBe(rows.length)
  expect(rows.filter(({ why }) => why.length < 10)).toEqual([])
})
