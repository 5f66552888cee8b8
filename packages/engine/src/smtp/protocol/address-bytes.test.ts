import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { expect, test } from 'vitest'
import { isWithin, readAddress, readBlock } from './address-policy.ts'
import { makeRandom } from './test-addresses.ts'

function hex(text: string): string | undefined {
  const bytes = readAddress(text)
  return bytes && Buffer.from(bytes).toString('hex')
}

test.each([
  ['127.0.0.1', '00000000000000000000ffff7f000001'],
  ['255.255.255.255', '00000000000000000000ffffffffffff'],
  ['0.0.0.0', '00000000000000000000ffff00000000'],
  ['::ffff:127.0.0.1', '00000000000000000000ffff7f000001'],
  ['::FFFF:7F00:1', '00000000000000000000ffff7f000001'],
  ['::', '00000000000000000000000000000000'],
  ['::1', '00000000000000000000000000000001'],
  ['::1.2.3.4', '00000000000000000000000001020304'],
  ['1::', '00010000000000000000000000000000'],
  ['1:2:3:4:5:6:7::', '00010002000300040005000600070000'],
  ['::2:3:4:5:6:7:8', '00000002000300040005000600070008'],
  ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
  ['1:2:3:4:5:6:1.2.3.4', '00010002000300040005000601020304'],
  ['2001:db8::a:1.2.3.4', '20010db8000000000000000a01020304'],
  ['0000:0000:0000:0000:0000:ffff:255.255.255.255', '00000000000000000000ffffffffffff'],
])('readAddress reads %s', (text, bytes) => {
  expect(hex(text)).toBe(bytes)
})

test.each([
  // Texts that inet_aton, and with it Node's net.connect, reads as 127.0.0.1.
  ...['127.1', '127.0.1', '0x7f.1', '0x7f000001', '2130706433', '0177.0.0.1', '017700000001', '0', '127.0.0.1.'],
  ...[
    '01.2.3.4',
    '1.2.3.04',
    '00.0.0.0',
    '256.1.1.1',
    '1.2.3.999',
    '1.2.3',
    '1.2.3.4.5',
    '1..2.3',
    '-1.2.3.4',
    '+1.2.3.4',
  ],
  ...[
    '',
    ' ',
    '.',
    '...',
    ' 1.2.3.4',
    '1.2.3.4 ',
    '1.2.3.4\n',
    '1.2.3.4\0',
    '１.2.3.4',
    '1。2。3。4',
    '1e1.2.3.4',
    '0x1.2.3.4',
  ],
  ...['fe80::1%eth0', '::1%1', '::1%', '[::1]', '::1/128', '1.2.3.4/32', '1.2.3.4:25', 'localhost', 'a.b.c.d'],
  ...[':', ':::', '1:::2', '1::2::3', ':1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8:', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9'],
  ...['1:2:3:4::5:6:7:8', '1:2:3:4:5:6:7:8::', '::1:2:3:4:5:6:7:8', '12345::', 'g::', '::-1', '::0x1', ':1', '1:'],
  ...[
    '1.2.3.4::',
    '1.2.3.4:5::',
    '::1.2.3.4:5',
    '::1.2.3',
    '::1.2.3.04',
    '::1.2.3.256',
    '1:2:3:4:5:6:7:1.2.3.4',
    '::1.2.3.4.5',
  ],
  `::${'0'.repeat(60)}1`,
])('readAddress rejects %j', (text) => {
  expect(readAddress(text)).toBeUndefined()
})

/** The bytes by the URL parser, which rewrites IPv6 without dots. */
function bytesByUrl(text: string): number[] {
  if (isIP(text) === 4) return ipaddr.IPv4.parse(text).toIPv4MappedAddress().toByteArray()
  return ipaddr.IPv6.parse(new URL(`http://[${text}]/`).hostname.slice(1, -1)).toByteArray()
}

test('readAddress agrees with Node on 50,000 unusual texts', () => {
  const random = makeRandom(20)
  const pieces = [
    '::',
    ':',
    ':',
    '.',
    '.',
    '0',
    '1',
    '12',
    '255',
    '256',
    'ffff',
    'F',
    'a0',
    '00',
    '1.2.3.4',
    '2001',
    '%',
    'g',
  ]
  let read = 0
  for (let n = 0; n < 50_000; n += 1) {
    const text = Array.from({ length: 1 + random(15) }, () => pieces[random(pieces.length)]).join('')
    const bytes = readAddress(text)
    expect([text, bytes !== undefined]).toEqual([text, isIP(text) !== 0 && !text.includes('%')])
    if (bytes === undefined) continue
    read += 1
    expect([text, [...bytes]]).toEqual([text, bytesByUrl(text)])
  }
  expect(read).toBeGreaterThan(500)
})

test.each([
  ['10.0.0.0/8', '10.255.255.255', '11.0.0.0'],
  ['10.9.8.7/8', '10.0.0.0', '9.255.255.255'],
  ['198.18.0.0/15', '198.19.255.255', '198.20.0.0'],
  ['192.0.2.1', '192.0.2.1', '192.0.2.0'],
  ['192.0.2.1/32', '::ffff:192.0.2.1', '192.0.2.2'],
  ['0.0.0.0/0', '255.255.255.255', '::1'],
  ['::/0', '1.2.3.4', null],
  ['2001::/23', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:200::'],
  ['2000::/3', '3fff::', '4000::'],
  ['2001:db8::1', '2001:db8::1', '2001:db8::'],
])('block %s contains %s and not %s', (text, inside, outside) => {
  const block = readBlock(text)
  const holds = (address: string) => block && isWithin(readAddress(address) ?? new Uint8Array(), block)
  expect(holds(inside)).toBe(true)
  if (outside !== null) expect(holds(outside)).toBe(false)
})

test.each([
  '10.0.0.0/33',
  '::/129',
  '10.0.0.0/',
  '10.0.0.0/08',
  '10.0.0.0/-1',
  '10.0.0.0/8/8',
  '10/8',
  '/8',
  '',
  '::/1e1',
])('readBlock rejects %j', (text) => {
  expect(readBlock(text)).toBeUndefined()
})
