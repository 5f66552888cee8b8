import { expect, test } from 'vitest'
import { markLayout } from './page-layout.ts'

const LONG = 'a'.repeat(61)
const table = (headers: string[], ...rows: string[][]) =>
  `<table><thead><tr>${headers.map((header) => `<th>${header}</th>`).join('')}</tr></thead><tbody>${rows
    .map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
    .join('')}</tbody></table>`

test('markLayout marks cells with text, and short cells and figures', () => {
  const html = table(
    ['a', 'b'],
    ['<a href="/docs/a-page-with-a-long-name#and-a-long-anchor">some words</a>', LONG],
    ['99.81 – 100.00 %', 'at once'],
  )
  expect(markLayout(html)).toBe(
    html
      .replace(`<td>${LONG}`, `<td class="text">${LONG}`)
      .replace('<td>99.81', '<td class="short">99.81')
      .replace('<td>at', '<td class="short">at'),
  )
})

test('markLayout labels the cells of a table with text in three columns, and keeps it a table for screen readers', () => {
  expect(markLayout(table(['<code>name</code>', 'if "set"', 'meaning'], ['x', '', LONG]))).toBe(
    '<table class="stacked" role="table"><thead role="rowgroup"><tr role="row"><th role="columnheader"><code>name</code></th>' +
      '<th role="columnheader">if "set"</th><th role="columnheader">meaning</th></tr></thead><tbody role="rowgroup"><tr role="row">' +
      `<td role="cell" class="short">x</td><td role="cell" data-label="if &quot;set&quot;"></td><td role="cell" class="text" data-label="meaning">${LONG}</td></tr></tbody></table>`,
  )
})

test('markLayout shows all tables with the same headers in one form', () => {
  const headers = ['option', 'type', 'description']
  const other = table(['option', 'type', 'default'], ['a few words', 'a few words', 'a few words'])
  const html =
    table(headers, ['a few words', 'a few words', LONG]) + table(headers, ['a few words', 'a few words', 'a few words'])
  const marked = markLayout(html + other)
  expect(marked.match(/class="stacked"/g)).toHaveLength(2)
  expect(marked.endsWith(other)).toBe(true)
})

test('markLayout leaves tables of cells with a few words unchanged', () => {
  const html = table(['a', 'b', 'c'], ['a few words', 'a few words', 'a few words'])
  expect(markLayout(html)).toBe(html)
})

test.each([
  ['Retry-After', '<span class="whole">Retry-After</span>'],
  ['keys create --name NAME', 'keys create <span class="whole">--name</span> NAME'],
  ['PROBITY_DATABASE_URL', 'PROBITY_DATABASE_URL'],
  ['PROBITY_UPLOAD_MEGABYTES_PER_ACCOUNT', 'PROBITY_UPLOAD_<wbr>MEGABYTES_PER_ACCOUNT'],
  ['packages/engine/src/smtp/providers/data/limits.ts', 'packages/engine/src/<wbr>smtp/providers/data/<wbr>limits.ts'],
])('markLayout breaks the name %s after separators of long names only', (name, marked) => {
  const code = (text: string) => `<p><code dir="auto">${text}</code></p><pre><code>${name}</code></pre>`
  expect(markLayout(code(name))).toBe(code(marked))
})

test('markLayout allows breaks within names in headings', () => {
  const html =
    '<h2 id="a_b"><code dir="auto">job_in_progress</code></h2><h3 id="c">probity.jobs.list(id)</h3><h3 id="d">Why it fails.</h3>'
  expect(markLayout(html)).toBe(
    '<h2 id="a_b"><code dir="auto">job_<wbr>in_<wbr>progress</code></h2><h3 id="c">probity.<wbr>jobs.<wbr>list(<wbr>id)</h3><h3 id="d">Why it fails.</h3>',
  )
})
