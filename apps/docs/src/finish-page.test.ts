import { expect, test } from 'vitest'
import { finishPage, type Loose } from './finish-files.ts'

function finish(html: string) {
  const loose: Loose = { styles: new Map(), scripts: new Set(), scriptAddress: (code) => `/${code.length}.js` }
  return { html: finishPage(html, loose), ...loose }
}

test('finishPage moves inline scripts to files and keeps scripts that are files', () => {
  const { html, scripts } = finish(
    '<script>go()</script><script aria-hidden="true">\n  on()</script><script src="/a.js"></script>',
  )
  expect(html).toBe(
    '<script src="/4.js"></script><script aria-hidden="true" src="/7.js"></script><script src="/a.js"></script>',
  )
  expect([...scripts]).toEqual(['go()', '\n  on()'])
})

test('finishPage replaces each style by a number, the same one for the same style', () => {
  const { html, styles } = finish(
    '<i style="--0:#fff">a</i><b class="x" style="--0:#fff">b</b><u style="--0:#000">c</u>',
  )
  expect(html).toBe('<i data-style="1">a</i><b class="x" data-style="1">b</b><u data-style="2">c</u>')
  expect([...styles]).toEqual([
    ['--0:#fff', 1],
    ['--0:#000', 2],
  ])
})

test('finishPage does not change tags in the code that a button copies', () => {
  const button = '<button data-code="<script>x()</script><table><p style=\'a\'></table>">Copy</button>'
  expect(finish(button).html).toBe(button)
})

test('finishPage marks text blocks with lines or arrows as diagrams', () => {
  const block = (text: string, language = 'text') => `<pre data-language="${language}"><code>${text}</code></pre>`
  const marked = (text: string) => block(text).replace('<pre data-language="text"', '$& class="diagram"')
  const html = [block('plain'), block('a ──▶ b'), block('│', 'sh'), block('later')].join('')
  expect(finish(html).html).toBe([block('plain'), marked('a ──▶ b'), block('│', 'sh'), block('later')].join(''))
})

test('finishPage adds a frame to a table and marks its cells', () => {
  const table = (attributes: string) => `<table><tr><td${attributes}>${'a'.repeat(61)}</td></tr></table>`
  expect(finish(table('')).html).toBe(`<div class="wide">${table(' class="text"')}</div>`)
})
