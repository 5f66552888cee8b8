import { expect, test } from 'vitest'
import { readEgresses } from './egresses.ts'

const IDENTITY = { heloName: 'probe.example.net', mailFrom: 'bounce@example.net' }

test('without a name and a sender there is no way out, and no default is made up', () => {
  expect(readEgresses({ heloName: undefined, mailFrom: undefined, egress: '' })).toEqual([])
})

test('a name and a sender make one way out', () => {
  expect(readEgresses({ ...IDENTITY, egress: '' })).toEqual([{ name: 'probe.example.net', ...IDENTITY }])
})

test('several ways out have a name, and with it an identity, each', () => {
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
  ['a sender is missing', { ...IDENTITY, mailFrom: undefined, egress: '' }],
  ['a name is missing', { ...IDENTITY, heloName: undefined, egress: '' }],
  ['only ways out are given', { heloName: undefined, mailFrom: undefined, egress: 'a.example.net=192.0.2.10' }],
  ['a way out has no name', { ...IDENTITY, egress: '192.0.2.10' }],
  ['a way out leads nowhere', { ...IDENTITY, egress: 'a.example.net=elsewhere' }],
  ['a proxy is of another kind', { ...IDENTITY, egress: 'a.example.net=http://proxy.example.net:3128' }],
])('is refused at start when %s', (_name, identity) => {
  expect(() => readEgresses(identity)).toThrow(/^These settings cannot be used:\n {2}SMTP_/)
})
