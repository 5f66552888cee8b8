import { expect, test } from 'vitest'
import { ROLES, writeHome } from './home.ts'

const item = (id: string) => {
  const links = { href: `/docs/${id}`, copyHref: `/docs/${id}.md` }
  return { id, title: id, label: `Short ${id}`, says: `About ${id}.`, ...links }
}
const GROUPS = [{ label: 'All', items: [...new Set(ROLES.flatMap(({ pages }) => pages))].map(item) }]
const QUICK_START = 'Text.\n\n```sh\ncurl first\n```\n\n```json\n{}\n```\n\n```sh\ncurl second\n```\n'

test('writeHome shows the first request of the quick start, the roles and all pages', () => {
  const { page, copy } = writeHome(GROUPS, QUICK_START)
  for (const text of [page, copy]) {
    expect(text).toContain('```sh\ncurl first\n```\n\nThe response, shortened:\n\n```json\n{}\n```')
    expect(text).not.toContain('second')
  }
  for (const { label } of ROLES) expect(page).toContain(`<section>\n\n### ${label}\n`)
  expect(page).toContain('- [Short quick-start](/docs/quick-start)\n')
  expect(page).toContain('- [Short quick-start](/docs/quick-start): About quick-start.')
  expect(copy).toContain('- [Short quick-start](/docs/quick-start.md): About quick-start.')
})

test('writeHome rejects a role with an unknown page, and a quick start without example', () => {
  expect(() => writeHome([], QUICK_START)).toThrow(/names .+, which has no page/)
  expect(() => writeHome(GROUPS, '```sh\ncurl\n```\n')).toThrow('the quick start has no json block')
})
