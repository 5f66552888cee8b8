import { readFileSync, realpathSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { MUTANTS } from './mutants.ts'
import { PARTS } from './try-mutants.ts'

const ROOT = join(import.meta.dirname, '../..')

test.for(Object.entries(MUTANTS))('each text that %s replaces is in its file exactly once', ([, replacements]) => {
  for (const { file, find } of replacements) {
    expect(readFileSync(join(ROOT, file), 'utf8').split(find).length - 1, `${file}: ${find}`).toBe(1)
  }
})

test('the copied tree has every package that chaos imports', () => {
  const { dependencies } = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies).filter((dependency) => dependency.startsWith('@probity/'))) {
    const folder = relative(ROOT, realpathSync(join(import.meta.dirname, 'node_modules', name)))
    expect(
      PARTS.some((part) => `${folder}/`.startsWith(`${part}/`)),
      folder,
    ).toBe(true)
  }
})
