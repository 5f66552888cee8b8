import { expect, test } from 'vitest'
import { type ListSearch, openTab, readListSearch } from './search.ts'

test.each([
  [{}, 'overview'],
  [{ preset: 'safest' }, 'overview'],
  [{ tab: 'breakdown', status: 'risky' }, 'breakdown'],
  [{ tab: 'a_new_tab' }, 'overview'],
  [{ status: 'risky' }, 'results'],
  [{ row: 28 }, 'results'],
  [{ provider: '' }, 'results'],
])('the search parameters %j open the tab %s', (search, tab) => {
  expect(openTab(readListSearch(search))).toBe(tab)
  expect(openTab({ mode: 'test', org: 'analytical-engines', ...readListSearch(search) } as ListSearch)).toBe(tab)
})
