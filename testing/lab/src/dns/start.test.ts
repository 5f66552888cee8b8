import { afterAll, expect, test } from 'vitest'
import { withBigNames } from './big-names.ts'
import { resolverAt, startDns } from './start.ts'

const began = performance.now()
const dns = await startDns(withBigNames())
const startedInMs = performance.now() - began
afterAll(() => dns.stop())

test('starts within three seconds', { tags: ['timed'] }, () => {
  expect(startedInMs).toBeLessThan(3_000)
})

test.concurrent.each([
  ['null-mx.example', [{ exchange: '', priority: 0 }]],
  ['mx-integer.example', [{ exchange: '2130706433', priority: 10 }]],
  ['mx-control.example', [{ exchange: 'a\\013\\010b.example', priority: 10 }]],
  ['mx-local.example', [{ exchange: 'mail.printer.local', priority: 10 }]],
  ['alias-of-a.example', []],
  ['no-data.example', 'ENODATA'],
  ['empty-node.example', 'ENODATA'],
  ['absent.example', 'ENOTFOUND'],
  ['somewhere.test', 'ENOTFOUND'],
  ['servfail.example', 'ESERVFAIL'],
  ['refused.example', 'EREFUSED'],
  ['alias-loop.example', 'ESERVFAIL'],
  ['too-many-mx.example', 'ESERVFAIL'],
  ['silent.example', 'ETIMEOUT'],
  ['unreachable.example', 'ETIMEOUT'],
])('the resolver returns the MX records of %s from the table', async (domain, expected) => {
  const answer = await dns.resolver().resolveMx(domain).catch(codeOf)
  expect(answer).toEqual(Array.isArray(expected) ? expected.map((record) => expect.objectContaining(record)) : expected)
})

test('the resolver returns record sets that barely fit into a message', async () => {
  expect(await dns.resolver().resolveMx('many-mx.example')).toHaveLength(1_500)
  expect(await dns.resolver().resolveTxt('long-txt.example')).toHaveLength(231)
})

test('the resolver returns private addresses, so that tests can cover them', async () => {
  expect(await dns.resolver().resolve4('mx.mx-private.example')).toContain('127.0.0.1')
  expect(await dns.resolver().resolve6('mx.mx-private.example')).toContain('::1')
})

test('added names resolve at once and cached responses are dropped', async () => {
  const ask = () => dns.resolver().resolve4('later.example').catch(codeOf)
  expect(await ask()).toBe('ENOTFOUND')
  await dns.put({ 'later.example': { a: ['192.0.2.1'] } })
  expect(await ask()).toEqual(['192.0.2.1'])
  await dns.put({ 'later.example': { a: ['192.0.2.2'] } })
  expect(await ask()).toEqual(['192.0.2.2'])
})

test('the resolver and the authoritative server count their queries', async () => {
  const before = await dns.countQuestions()
  for (let n = 0; n < 5; n++) await dns.resolver().resolveMx('equal-mx.example')
  const after = await dns.countQuestions()
  expect(after.resolver - before.resolver).toBe(5)
  expect(after.authority - before.authority).toBe(1)
})

test('stopping the DNS servers leaves no process and no file', async () => {
  const other = await startDns({ names: { 'one.example': { a: ['192.0.2.1'] } }, faults: {} })
  await other.stop()
  expect(await resolverAt(other.port).resolve4('one.example').catch(codeOf)).toBe('ECONNREFUSED')
  expect(await resolverAt(other.nsdPort).resolve4('one.example').catch(codeOf)).toBe('ECONNREFUSED')
})

function codeOf(error: NodeJS.ErrnoException) {
  return error.code
}
