import { expect, test } from 'vitest'
import { readEgresses } from './egresses.ts'

const IDENTITY = { heloName: 'probe.example.net', mailFrom: 'bounce@example.net' }

test('readEgresses returns no egress without a HELO name and a sender', () => {
  expect(readEgresses({ heloName: undefined, mailFrom: undefined, egress: '' })).toEqual([])
})

test('readEgresses returns one egress for a HELO name and a sender', () => {
  expect(readEgresses({ ...IDENTITY, egress: '' })).toEqual([{ name: 'probe.example.net', ...IDENTITY }])
})

test('each entry of SMTP_EGRESS has its own HELO name', () => {
  const egress = 'a.example.net=192.0.2.10, b.example.net=socks5://user:p%40ss@proxy.example.net:1081'
  expect(readEgresses({ ...IDENTITY, egress })).toEqual([
    { name: 'a.example.net', heloName: 'a.example.net', mailFrom: IDENTITY.mailFrom, localAddress: '192.0.2.10' },
    {
      name: 'b.example.net',
      heloName: 'b.example.net',
      mailFrom: IDENTITY.mailFrom,
      socks5: { host: 'proxy.example.net', port: 1081, username: 'user', password: 'p@ss' },
    },
  ])
})

test.each([
  ['the sender is missing', { ...IDENTITY, mailFrom: undefined, egress: '' }],
  ['the HELO name is missing', { ...IDENTITY, heloName: undefined, egress: '' }],
  ['only SMTP_EGRESS is set', { heloName: undefined, mailFrom: undefined, egress: 'a.example.net=192.0.2.10' }],
  ['an entry has no host name', { ...IDENTITY, egress: '192.0.2.10' }],
  ['an entry has no address', { ...IDENTITY, egress: 'a.example.net=elsewhere' }],
  ['a proxy has another protocol', { ...IDENTITY, egress: 'a.example.net=http://proxy.example.net:3128' }],
])('readEgresses throws when %s', (_name, identity) => {
  expect(() => readEgresses(identity)).toThrow(/^Invalid settings:\n {2}PROBITY_SMTP_/)
})
