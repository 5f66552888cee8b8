import { expect, test } from 'vitest'
import { listFormFaults, listUnusedScreenshots } from './page-form.ts'
import { plant } from './test-workspace.ts'
import { readWorkspace } from './workspace.ts'

function judge(text: string, path = 'docs/page.md'): string[] {
  const root = plant({ 'docs/other.md': '# Other\n\nThis page is another.\n', [path]: text })
  return listFormFaults(readWorkspace(root)).map((fault) => `${fault.path}:${fault.line} ${fault.message}`)
}

const BEGIN = '# Page\n\nThis page is a page.\n'
const TWO = 'has two sentences in one line'
const BROKEN = 'breaks the line within a sentence'
const PURPOSE = 'does not begin with a sentence that says what the page is for'

test.each<[text: string, faults: string[]]>([
  ['Page\n\nThis page is a page.\n', ['docs/page.md:1 does not begin with "# " and the title']],
  ['# Page\n\n## Section\n', [`docs/page.md:3 ${PURPOSE}`]],
  ['# Page\n\n- An item.\n', [`docs/page.md:3 ${PURPOSE}`]],
  ['# Page\n\n```sh\ntrue\n```\n', [`docs/page.md:3 ${PURPOSE}`]],
  ['# Page\n', [`docs/page.md:1 ${PURPOSE}`]],
  [`${BEGIN}\nOne. Two.\n`, [`docs/page.md:5 ${TWO}`]],
  [`${BEGIN}\nOne \`a.\` is code.\n\`Two\` is code. [Three](a.md) is a link.\n`, [`docs/page.md:6 ${TWO}`]],
  [`${BEGIN}\nOne is *first*. *Two* is second.\n`, [`docs/page.md:5 ${TWO}`]],
  [`${BEGIN}\nOne is\na sentence.\n`, [`docs/page.md:5 ${BROKEN}`]],
  [`${BEGIN}\n- One.\n- Two. Three.\n  Four.\n`, [`docs/page.md:6 ${TWO}`]],
  [`${BEGIN}\n1. One is\n   a sentence.\n`, [`docs/page.md:5 ${BROKEN}`]],
  [`${BEGIN}\nOne (is not vs. Two). Three.\n`, [`docs/page.md:5 ${TWO}`]],
  [`${BEGIN}\n| | a |\n|---|---|\n| b | |\n`, ['docs/page.md:5 has a table with an empty column header']],
  [`${BEGIN}\n| a |\n|---|\n| ${'a'.repeat(397)} |\n`, ['docs/page.md:7 has 401 characters: up to 400 are allowed']],
])('listFormFaults rejects %j', (text, faults) => {
  expect(judge(text)).toEqual(faults)
})

test.each([
  `${BEGIN}\nOne.\nTwo, e.g. Three, i.e. Four vs. Five.\nThree (see Four. Or five).\n`,
  `${BEGIN}\n- **Label.** A sentence.\n- *Label.* A sentence.\n  Another, at \`a. B\` and in version 1.2.\n`,
  `${BEGIN}\n| a |\n|---|\n| One. Two. |\n\n## What. Is. This\n`,
  `${BEGIN}\n\`\`\`text\nOne. Two.\nThree\n\`\`\`\n\n1. One.\n\n   \`\`\`sh\n   a\n   b\n   \`\`\`\n   Two.\n`,
  `${BEGIN}\n<!-- One. Two.\nthree -->\n\n    pnpm a # A. B.\n    pnpm b\n\nOne.\n`,
  `${BEGIN}\n<picture>\n  <img src="a.png" alt="A. B.">\n</picture>\n\nOne is:\n\n- one\n- two\n`,
  `# Page\n\n**This page is a page.**\nOne.\n`,
  `# Page\n\n<!-- A comment. -->\nThis page is a page.\n`,
  `${BEGIN}\n| a |\n|---|\n| ${'a'.repeat(396)} |\n`,
])('listFormFaults accepts %j', (text) => {
  expect(judge(text)).toEqual([])
})

test('listFormFaults checks pages of the docs, decisions without their purpose, and three pages at the top', () => {
  const text = '# Page\n\n## Context\n\nOne. Two.\n'
  expect(judge(text, 'docs/decisions/0001-a.md')).toEqual([`docs/decisions/0001-a.md:5 ${TWO}`])
  expect(judge(text, 'docs/guides/a.md').length).toBe(2)
  for (const path of ['README.md', 'CONTRIBUTING.md', 'SECURITY.md']) expect(judge(text, path).length).toBe(2)
  expect(judge(text, 'CHANGELOG.md')).toEqual([])
})

test('listUnusedScreenshots names the screenshots that no page shows', () => {
  const root = plant({
    'README.md': '# Page\n\n<img src="docs/screenshots/a.png">\n',
    'docs/page.md': '# Page\n\n![A page](screenshots/b.png)\n',
    'docs/screenshots/a.png': '',
    'docs/screenshots/b.png': '',
    'docs/screenshots/c.png': '',
  })
  expect(listUnusedScreenshots(readWorkspace(root))).toEqual([
    { path: 'docs/screenshots/c.png', line: 1, message: 'is shown by no page: delete it' },
  ])
})
