import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listDisagreements, listPages } from './navigation.ts'

const DOCS = join(import.meta.dirname, '../../../docs')

test('listPages names every page of the docs folder except internal ones', () => {
  const texts = readdirSync(DOCS, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'))
  const ours = texts.filter(
    (path) => !path.startsWith('decisions/') && !['benchmarks.md', 'database.md', 'dependencies.md'].includes(path),
  )
  expect(new Set(listPages())).toEqual(new Set(['changelog', ...ours.map((path) => path.replace(/\.md$/, ''))]))
})

test('listDisagreements reports missing, unknown and duplicate pages', () => {
  const navigation = [
    {
      label: 'Get started',
      entries: ['quick-start', 'gone', { label: 'Elsewhere', link: '/api', says: 'Another page.' }],
    },
    { label: 'More', entries: ['quick-start'] },
  ]
  expect(listDisagreements(['quick-start', 'forgotten'], navigation)).toEqual([
    'forgotten is not in the navigation',
    'the navigation names gone, which has no page',
    'the navigation names quick-start twice',
  ])
  expect(listDisagreements(['quick-start'], [{ label: 'Get started', entries: ['quick-start'] }])).toEqual([])
})
