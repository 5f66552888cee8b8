import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listDisagreements, listPages } from './navigation.ts'

const DOCS = join(import.meta.dirname, '../../../docs')

test('names every text of the docs folder but those for ourselves, and nothing else', () => {
  const texts = readdirSync(DOCS, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'))
  const ours = texts.filter(
    (path) => !path.startsWith('decisions/') && !['database.md', 'dependencies.md'].includes(path),
  )
  expect(new Set(listPages())).toEqual(new Set(['changelog', ...ours.map((path) => path.replace(/\.md$/, ''))]))
})

test('says where texts and navigation disagree', () => {
  const navigation = [
    { label: 'Start', entries: ['quick-start', 'gone', { label: 'Elsewhere', link: '/api', says: 'What is there.' }] },
    { label: 'More', entries: ['quick-start'] },
  ]
  expect(listDisagreements(['quick-start', 'forgotten'], navigation)).toEqual([
    'forgotten is not in the navigation',
    'the navigation names gone, which has no text',
    'the navigation names quick-start twice',
  ])
  expect(listDisagreements(['quick-start'], [{ label: 'Start', entries: ['quick-start'] }])).toEqual([])
})
