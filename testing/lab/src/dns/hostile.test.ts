import { afterAll, expect, test } from 'vitest'
import { LYING, UNRELIABLE } from './behaviours.ts'
import { startHostileDns } from './hostile.ts'
import { resolverAt } from './start.ts'

const dns = await startHostileDns()
afterAll(() => dns.stop())

/** The result of Node's resolver for the response to an MX query. */
function askMx(domain: string): Promise<unknown> {
  return resolverAt(dns.port)
    .resolveMx(domain)
    .then(
      (records) => records.map(({ exchange }) => exchange),
      (error: NodeJS.ErrnoException) => error.code,
    )
}

test('the hostile server has enough behaviors', () => {
  expect(Object.keys({ ...UNRELIABLE, ...LYING }).length).toBeGreaterThanOrEqual(40)
})

test.concurrent.each([
  ['truth.example', ['mx.truth.example']],
  ['tcp-truth.example', ['mx.tcp-truth.example']],
  ['slow-900.example', ['mx.slow-900.example']],
  ['policy-silent.example', ['mx.policy-silent.example']],
  ['late-silent.example', 'ENODATA'],
  ['types--refused--truth--truth.example', 'EREFUSED'],
  ['silent.example', 'ETIMEOUT'],
  ['wrong-id.example', 'ETIMEOUT'],
  ['tcp-drip.example', 'ETIMEOUT'],
  ['tcp-hangs-up.example', 'ECONNREFUSED'],
  ['garbage.example', 'EBADRESP'],
  ['pointer-loop.example', 'EBADRESP'],
  ['too-few-answers.example', 'EBADRESP'],
  ['alias-loop.example', []],
])('%s', async (domain, expected) => {
  expect(await askMx(domain)).toEqual(expected)
})

test('the flapping behavior changes from one query to the next', async () => {
  const answers = [await askMx('flapping-nxdomain.example'), await askMx('flapping-nxdomain.example')]
  expect(answers).toEqual(['ENOTFOUND', ['mx.flapping-nxdomain.example']])
})

test('countQuestions counts all messages for a domain and its subdomains, TCP included', async () => {
  await askMx('servfail.example')
  await askMx('deep.below.servfail.example')
  expect(dns.countQuestions('any.servfail.example')).toBe(2)
  await askMx('tcp-garbage.example')
  expect(dns.countQuestions('tcp-garbage.example')).toBe(2)
})
