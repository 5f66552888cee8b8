import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Makes `dist` the package that is published, so that any package manager can pack it: in the work tree the package points to its
 * sources, which nobody else could run.
 */
const SDK = join(import.meta.dirname, '..')
const DIST = join(SDK, 'dist')

const {
  private: _,
  scripts: __,
  devDependencies: ___,
  ...manifest
} = JSON.parse(readFileSync(join(SDK, 'package.json'), 'utf8')) as Record<string, unknown>
const exports = { '.': { types: './probity.d.ts', default: './probity.js' } }
writeFileSync(join(DIST, 'package.json'), `${JSON.stringify({ ...manifest, exports }, null, 2)}\n`)
for (const file of ['README.md', 'LICENSE']) cpSync(join(SDK, file), join(DIST, file))
