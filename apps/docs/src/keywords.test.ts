import { expect, test } from 'vitest'
import { KEYWORDS } from './keywords.ts'
import { readTexts } from './texts.ts'

test('KEYWORDS names pages, with words that they contain', () => {
  const texts = new Map(readTexts().map(({ id, title, page }) => [id, `${title} ${page}`.toLowerCase()]))
  const missing = Object.entries(KEYWORDS).flatMap(([id, keywords]) =>
    keywords
      .toLowerCase()
      .split(' ')
      .filter((word) => !texts.get(id)?.includes(word))
      .map((word) => `${id}: ${word}`),
  )
  expect(missing).toEqual([])
})
