import { expect, test } from 'vitest'
import { actionWords, actorWords, changeLines } from './audit-words.ts'

test('what was done is said in words, also what these pages do not know yet', () => {
  expect(actionWords('key.revoked')).toBe('API key revoked')
  expect(actionWords('address_list.created')).toBe('Address list created')
})

test('who did it is named, with what they are', () => {
  expect(actorWords({ actor: 'member', actor_name: 'Ada' })).toEqual({ name: 'Ada', kind: undefined })
  expect(actorWords({ actor: 'key', actor_name: 'CI' })).toEqual({ name: 'CI', kind: 'API key' })
  expect(actorWords({ actor: 'service', actor_name: null })).toEqual({ name: 'The service', kind: undefined })
})

test('changes say what was and what is, and no more than that where the value is not told', () => {
  const changes = {
    role: ['viewer', 'admin'],
    monthly_cap: [null, 10],
    rules: null,
    scopes: [['a'], ['a', 'b']],
    note: [null, null],
  }
  expect(changeLines(changes)).toEqual(['Role: viewer → admin', 'Monthly cap: 10', 'Rules changed', 'Scopes: a → a, b'])
})
