import { expect, test } from 'vitest'
import { rateHeaders } from './rate-headers.ts'

test('rateHeaders writes the structured fields of the draft', () => {
  const policy = { name: 'account', quota: 10, windowS: 5 }
  expect(rateHeaders({ policy, allowed: true, remaining: 9, resetS: 1, retryAfterS: 0 })).toEqual({
    'ratelimit-policy': '"account";q=10;w=5',
    ratelimit: '"account";r=9;t=1',
  })
})
