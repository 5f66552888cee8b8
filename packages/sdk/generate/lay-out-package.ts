import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Makes `dist` the published package. In the repository, the package exports its TypeScript sources. */
const SDK = join(import.meta.dirname, '..')
const DIST = join(SDK, 'dist')

const {
  private: _,
  scripts: __,
  devDependencies: ___,
  ...manifest
} = JSON.parse(readFileSync(join(SDK, 'package.json'), 'utf8')) as Record<string, unknown>

const entry = {
  // For tools that do not read `exports`, such as TypeScript with moduleResolution node10.
  main: './probity.cjs',
  types: './probity.d.cts',
  exports: {
    '.': {
      import: { types: './probity.d.ts', default: './probity.js' },
      require: { types: './probity.d.cts', default: './probity.cjs' },
    },
    './package.json': './package.json',
  },
}
writeFileSync(join(DIST, 'package.json'), `${JSON.stringify({ ...manifest, ...entry }, null, 2)}\n`)
for (const file of ['README.md', 'LICENSE']) cpSync(join(SDK, file), join(DIST, file))
