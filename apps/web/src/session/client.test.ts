import { expect, test } from 'vitest'
import { sceneHeaders } from './client.ts'

test.each(['live', 'test'] as const)('sceneHeaders selects the account and the mode %s', (mode) => {
  expect(sceneHeaders({ accountId: 'a1', mode })).toEqual({
    'probity-app': '1',
    'probity-account': 'a1',
    'probity-mode': mode,
  })
})
