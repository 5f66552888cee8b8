import { expect, test } from 'vitest'
import { listSlowPatterns } from './slow-patterns.ts'
import { parseSource } from './workspace.ts'

const PATH = 'apps/api/src/static/planted.ts'

/** The rejected lines of a file with one pattern per line. */
function judge(patterns: string[], path = PATH): number[] {
  const text = patterns.map((pattern) => `text.replace(${pattern}, '')\n`).join('')
  const sources = [{ path, tree: parseSource(path, text) }]
  return listSlowPatterns({ root: '', paths: [path], sources }).map(({ line }) => line)
}

const SLOW = [
  String.raw`/\/+$/`, // runs of slashes that are not at the end
  String.raw`/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]|general/gi`, // opening brackets that are not closed
  '/^(a+)+$/',
  '/(a{2,}){3,9}$/',
  String.raw`/(?!x)\s+$/`,
  String.raw`/(.{3,}?)\1+$/s`,
]

test.each(SLOW)('rejects the pattern %s', (pattern) => {
  expect(judge([pattern])).toEqual([1])
})

test('accepts linear patterns, and any pattern of tests and of the docs site', () => {
  const linear = [
    String.raw`/(?<!\/)\/+$/`,
    String.raw`/"[^"]*("|$)|\\.|_.|\*.|\[[^\]]*(\]|$)|general/gi`,
    '/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/',
    '/recipient address.{0,100} not a valid rfc.?5321 address/',
  ]
  expect(judge(linear)).toEqual([])
  expect(judge(SLOW, 'apps/api/src/static/planted.test.ts')).toEqual([])
  expect(judge(SLOW, 'apps/docs/src/planted.ts')).toEqual([])
})

test('rejects an entry of the list whose pattern is gone', () => {
  expect(judge(['/a/'], 'packages/email/src/send.ts')).toEqual([1])
})
