import { expect, test } from 'vitest'
import { firstSentence, readTarget, turnMarkdown, turnVersions } from './texts.ts'

const PAGES = new Map([
  ['docs/webhooks.md', 'webhooks'],
  ['docs/guides/sign-up-form.md', 'guides/sign-up-form'],
  ['CHANGELOG.md', 'changelog'],
])

const turn = (markdown: string, source = 'docs/guides/sign-up-form.md') =>
  turnMarkdown(
    markdown,
    (target) => readTarget(target, source, PAGES),
    (id) => `/docs/${id}`,
  )

test.each([
  ['[a page](../webhooks.md)', '[a page](/docs/webhooks)'],
  ['[a place](../webhooks.md#when-it-fails)', '[a place](/docs/webhooks#when-it-fails)'],
  ['[`code`](../webhooks.md)', '[`code`](/docs/webhooks)'],
  ['[here](#below)', '[here](#below)'],
  ['[changes](../../CHANGELOG.md)', '[changes](/docs/changelog)'],
  ['[the reference](/docs/api)', '[the reference](/docs/api)'],
  ['[the reference](http://localhost:3000/docs/api)', '[the reference](/docs/api)'],
  ['<http://localhost:3000/docs/api>', '[/docs/api](/docs/api)'],
  ['[the protocol](https://example.com/x_(y))', '[the protocol](https://example.com/x_(y))'],
  ['[decision 6](../decisions/0006-x.md)', 'decision 6 (`docs/decisions/0006-x.md` in the source)'],
  ['[`packages/sdk`](../../packages/sdk)', '`packages/sdk`'],
])('the link %s', (written, shown) => {
  expect(turn(`See ${written}.`)).toBe(`See ${shown}.`)
})

test('turnMarkdown removes comments and leaves code unchanged', () => {
  const code = '```md\n<!-- kept -->\n[kept](../webhooks.md)\n```'
  expect(turn(`Before.\n\n<!-- test: form -->\n${code}\n\nAlso \`[kept](../webhooks.md)\`.`)).toBe(
    `Before.\n\n${code}\n\nAlso \`[kept](../webhooks.md)\`.`,
  )
})

test('turnMarkdown rejects images', () => {
  expect(() => turn('![A chart](chart.png)')).toThrow('images are not supported')
})

test('turnVersions removes the brackets of versions, and an empty section Unreleased', () => {
  const changes = (text: string) =>
    `# Changelog\n\n## [Unreleased]\n\n${text}## [0.1.0] - 2026-11-19\n\n- [One](x.md)\n`
  expect(turnVersions(changes(''))).toBe('# Changelog\n\n## 0.1.0 - 2026-11-19\n\n- [One](x.md)\n')
  expect(turnVersions(changes('- Two\n\n'))).toContain('## Unreleased\n\n- Two\n\n## 0.1.0')
})

test.each([
  ['\nOne [script tag](x.md) makes `it` work, *always*. And more.\n\nLater.', 'One script tag makes it work, always.'],
  ['\n<!-- test: x -->\nWraps over\ntwo lines.\n', 'Wraps over two lines.'],
  ['\nThese are the kinds:\n\n- one', 'These are the kinds.'],
])('firstSentence of %j', (body, sentence) => {
  expect(firstSentence(body)).toBe(sentence)
})
