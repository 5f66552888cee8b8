import { expect, test } from 'vitest'
import { actionWords, actorWords, changeLines, subjectWords } from './audit-labels.ts'

test('actionWords labels an action and falls back to its name', () => {
  expect(actionWords('key.revoked')).toBe('API key revoked')
  expect(actionWords('address_list.created')).toBe('Address list created')
})

test('actorWords returns the name and the kind of the actor', () => {
  expect(actorWords({ actor: 'member', actor_name: 'Ada' })).toEqual({ name: 'Ada', kind: undefined })
  expect(actorWords({ actor: 'key', actor_name: 'CI' })).toEqual({ name: 'CI', kind: 'API key' })
  expect(actorWords({ actor: 'service', actor_name: null })).toEqual({ name: 'Probity', kind: undefined })
})

test('changeLines shows old and new values, or only the field if there are none', () => {
  const changes = {
    role: ['viewer', 'admin'],
    monthly_cap: [null, 10],
    rules: null,
    paused_at: null,
    scopes: [['a'], ['a', 'b']],
    note: [null, null],
    description: [null, ''],
    reason: [null, 'domain_limit'],
  }
  expect(changeLines(changes)).toEqual([
    'Role: viewer → admin',
    'Monthly cap: 10',
    'Rules changed',
    'Scopes: a → a, b',
    'Reason: domain limit',
  ])
})

test('changeLines shows plans, scopes and events by their labels', () => {
  const changes = {
    plan: ['payg', 'scale'],
    scopes: [['jobs:read'], ['jobs:write', 'keys:read']],
    events: [null, ['*']],
  }
  expect(changeLines(changes)).toEqual([
    'Plan: Pay as you go → Scale',
    'Scopes: Read lists → Manage lists, read keys',
    'Events: all events',
  ])
})

test('subjectWords names a provider and leaves other subjects as they are', () => {
  expect(subjectWords({ action: 'provider.paused', subject_name: 'gmx' })).toBe('GMX')
  expect(subjectWords({ action: 'key.paused', subject_name: 'gmx' })).toBe('gmx')
})
