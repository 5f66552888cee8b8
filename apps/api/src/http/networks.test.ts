import { expect, test } from 'vitest'
import { isWithin, networkOf, wideNetworkOf } from './networks.ts'

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::9', '2001:db8:1:2'],
  ['2001:0db8:0001:0002::9', '2001:db8:1:2'],
  ['2001:db8::9', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['2001:db8:1:2:3::', '2001:db8:1:2'],
])('networkOf maps %s to %s', (ip, network) => {
  expect(networkOf(ip)).toBe(network)
})

const LIST = ['192.0.2.0/24', '198.51.100.7', '2001:db8:1::/48']

test.each([
  '192.0.2.1',
  '192.0.2.0/24',
  '192.0.2.77/24',
  '192.0.2.128/25',
  '198.51.100.7',
  '198.51.100.7/32',
  '2001:db8:1::9',
  '2001:db8:1:2::/64',
])('%s is in the list', (entry) => {
  expect(isWithin(entry, LIST)).toBe(true)
})

test.each([
  '192.0.3.1',
  '192.0.2.0/23',
  '0.0.0.0/0',
  '198.51.100.7/31',
  '::ffff:192.0.2.1',
  '::ffff:192.0.2.0/96',
  '2001:db8:1::/47',
  '2001:db8:2::1',
  '::/0',
])('%s is not in the list', (entry) => {
  expect(isWithin(entry, LIST)).toBe(false)
})

test.each([
  ['192.0.2.7', '192.0.2'],
  ['::ffff:192.0.2.7', '192.0.2'],
  ['2001:db8:1:2::9', '2001:db8:1'],
  ['::1', '0:0:0'],
])('wideNetworkOf maps %s to %s', (ip, network) => {
  expect(wideNetworkOf(ip)).toBe(network)
})
