import { pendingResult, type StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { expect, test } from 'vitest'
import { completeCached, partsOf, suggestFor, writeCached } from './cached-result.ts'
import { parseAddress } from './parse.ts'

const ID = '0c27d087-cc2a-4d2a-9ce5-d98b4946c318'

function resultFor(email: string): StoredResult {
  const result = pendingResult(email, 'timeout')
  const address = parseAddress(email)
  return {
    ...result,
    details: { ...result.details, ...partsOf(address) },
    did_you_mean: suggestFor(email, address),
  }
}

function reread(cached: string, email: string): unknown {
  return { email, ...JSON.parse(completeCached(cached, email)) }
}

test.each([
  ['an address', 'Ada.Lovelace+News@example.com'],
  ['an address with a suggestion', 'ada.lovelace@gmial.com'],
  ['a text with an address inside', 'Ada <ada.lovelace@example.com>'],
  ['a text without an address', 'ada.lovelace'],
  ['an internationalized address', 'ada.lovelace@bücher.example'],
])('a cached result of %s has no part of it and is complete when it is read', (_, email) => {
  const result = resultFor(email)
  const cached = writeCached(ID, result)
  expect(cached.toLowerCase()).not.toContain('lovelace')
  expect(cached.toLowerCase()).not.toContain('news')
  expect(reread(cached, email)).toEqual({ id: ID, ...result })
})

test('a cached result shows the address as the request has it', () => {
  const cached = writeCached(ID, resultFor('ADA@GMIAL.com'))
  expect(reread(cached, 'ada@gmial.com')).toEqual({ id: ID, ...resultFor('ada@gmial.com') })
})

test('evidence cannot replace the marks of a cached result', () => {
  const result = resultFor('ada@example.com')
  const item = { check: 'mx', outcome: 'found', source: 'live' as const, checked_at: '', duration_ms: 1 }
  const evidence = [{ ...item, detail: '"parts":0 "did_you_mean":0' }]
  expect(reread(writeCached(ID, { ...result, evidence }), 'ada@example.com')).toEqual({ id: ID, ...result, evidence })
})
