import { expect, test } from 'vitest'
import { listFaults } from './house-rules.ts'
import { plant } from './test-workspace.ts'

function judge(files: Record<string, string>): string[] {
  return listFaults(plant(files)).map(({ path, line, message }) => `${path}:${line} ${message}`)
}

test('rejects a link to a missing page, heading or image', () => {
  const faults = judge({
    'README.md': '# One\n\nA page: [there](docs/two.md) [gone](docs/three.md).\n<img src="docs/four.png">\n',
    'docs/two.md':
      '# Two\n\nA page, [up](../README.md#one).\nIts [`code`](#no_file), [no heading](../README.md#two).\n\n## `no_file`\n',
    'packages/sdk/README.md': '# Sdk\n\n[beyond](../docs/two.md)\n',
  })
  expect(faults).toEqual([
    'docs/two.md:4 links to ../README.md#two, which has no such heading',
    'packages/sdk/README.md:3 links to ../docs/two.md, which is not there',
    'README.md:3 links to docs/three.md, which is not there',
    'README.md:4 links to docs/four.png, which is not there',
  ])
})

test('creates heading ids as GitHub does, and ignores code and external links', () => {
  const two =
    '# It’s: a *title*, (really)\n\nA page.\n\n## Same\n\n## Same\n\n```sh\n# not-a-heading\n[x](gone.md)\n```\n'
  const links = '[a](two.md#its-a-title-really) [b](two.md#same-1) [c](https://example.com/gone.md) `[d](gone.md)`.'
  expect(judge({ 'docs/one.md': `# One\n\n${links}\n`, 'docs/two.md': two })).toEqual([])
  expect(judge({ 'docs/one.md': '# One\n\n[x](two.md#not-a-heading).\n', 'docs/two.md': two })).toEqual([
    'docs/one.md:3 links to two.md#not-a-heading, which has no such heading',
  ])
})
