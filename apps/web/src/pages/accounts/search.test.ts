import { expect, test } from 'vitest'
import { readRequestId, readRequestsSearch } from './search.ts'

const ID = '0b8f2f2e-3f0c-4a55-9a37-0a1f6c9d2b71'

test('readRequestsSearch keeps valid values and drops the rest', () => {
  const search = {
    class: 'client_error',
    code: 'rate_limited',
    key: ID,
    from: '2026-11-09T08:00',
    cursor: 'abc',
    request: ID,
  }
  expect(readRequestsSearch(search)).toEqual({ ...search, request: `req_${ID}` })
  expect(
    readRequestsSearch({
      class: 'constructor',
      code: 'A b',
      key: '7',
      from: 'yesterday',
      to: 3,
      cursor: '',
      request: 'x',
    }),
  ).toEqual({})
})

test.each([`req_${ID}`, ID.toUpperCase(), `"request_id":"req_${ID}",`, `  req_${ID}\n`])(
  'readRequestId finds the request ID in %j',
  (pasted) => {
    expect(readRequestId(pasted)).toBe(`req_${ID}`)
  },
)
