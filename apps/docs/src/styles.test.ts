import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const colors = (path: string) => {
  const css = readFileSync(join(import.meta.dirname, path), 'utf8')
  return new Map([...css.matchAll(/^ {2}(--color-[a-z-]+): (.+);$/gm)].map(([, name, value]) => [name, value]))
}

test('the docs have the colors of the application', () => {
  const docs = colors('styles.css')
  const web = colors('../../web/src/styles.css')
  expect(docs.size).toBeGreaterThan(10)
  for (const [name, value] of docs) expect(value, name).toBe(web.get(name))
})
