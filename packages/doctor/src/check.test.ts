import { expect, test } from 'vitest'
import { fail, guard, pass, reasonOf } from './check.ts'

test('a finding contains no control characters and at most 2,000 characters of text', () => {
  const { saw, fix, subject } = fail('reverse-dns', {
    subject: 'a\x07b',
    saw: `it is called \x1b[2J${'x'.repeat(5_000)}`,
    says: 'Change it.',
    lines: ['PTR \x00y'],
  })
  expect(saw).toMatch(/^it is called {2}\[2Jx+$/)
  expect([saw.length, subject, fix?.lines]).toEqual([2_000, 'a b', ['PTR  y']])
})

test('guard reports the checks of a part that throws as unknown, with the reason', async () => {
  const broken = await guard(['clock', 'disk'], () => Promise.reject(new Error('The disk is on fire.')))
  expect(broken).toEqual([
    {
      check: 'clock',
      subject: '',
      status: 'unknown',
      saw: 'Check could not run: The disk is on fire.',
      fix: null,
    },
    {
      check: 'disk',
      subject: '',
      status: 'unknown',
      saw: 'Check could not run: The disk is on fire.',
      fix: null,
    },
  ])
  expect(await guard(['clock'], async () => [pass('clock', { saw: 'Right.' })])).toMatchObject([{ status: 'pass' }])
  expect(reasonOf(new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') }))).toBe(
    'connect ECONNREFUSED',
  )
})
