import { expect, test } from 'vitest'
import { findKeywords } from './keywords.ts'
import { listPages } from './navigation.ts'
import { readTexts } from './texts.ts'

test('findKeywords returns only words that the page contains', () => {
  const texts = new Map(readTexts().map(({ id, title, page }) => [id, `${title} ${page}`.toLowerCase()]))
  const found = listPages().map((id) => ({ id, keywords: findKeywords(id)?.toLowerCase().split(' ') ?? [] }))
  const missing = found.flatMap(({ id, keywords }) =>
    keywords.filter((word) => !texts.get(id)?.includes(word)).map((word) => `${id}: ${word}`),
  )
  expect(missing).toEqual([])
  expect(found.flatMap(({ keywords }) => keywords).length).toBeGreaterThan(10)
})
