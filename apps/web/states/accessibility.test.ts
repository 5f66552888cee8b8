import { afterEach, expect, test } from 'vitest'
import { listContrastViolations, listViolations } from './test-accessibility.ts'

afterEach(() => document.body.replaceChildren())

test('listViolations reports a field without a label', async () => {
  document.body.innerHTML = '<main><h1>Sign in</h1><input type="text"></main>'
  expect(await listViolations()).toEqual([expect.stringMatching(/^critical label: /)])
  document.body.innerHTML = '<main><h1>Sign in</h1><label>Name <input type="text"></label></main>'
  expect(await listViolations()).toEqual([])
})

test('listContrastViolations reports each look of texts that cannot be read', async () => {
  document.body.innerHTML =
    '<p style="color: #ccc; background: #fff">pale</p><p style="color: #000; background: #fefefe">dark</p>'
  const violation = expect.stringMatching(/serious color-contrast: .*pale/)
  expect(await listContrastViolations()).toEqual([violation, violation])
})

test('listContrastViolations reports a text that cannot be read in the dark scheme', async () => {
  document.body.innerHTML =
    '<style>p { background: #fdfdfd } [data-theme=dark] p { color: #222; background: #000 }</style><p>black</p>'
  expect(await listContrastViolations()).toEqual([expect.stringMatching(/^dark: serious color-contrast: .*black/)])
})
