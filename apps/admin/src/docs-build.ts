import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Building, buildWhenBehind, type Environment } from './build-when-behind.ts'

const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url))
const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

const BUILDING: Building = {
  name: 'the docs',
  folder: DOCS,
  command: [join(DOCS, 'node_modules/astro/bin/astro.mjs'), 'build'],
  sources: [
    ...['src', 'public', 'package.json', 'astro.config.ts'].map((name) => join(DOCS, name)),
    ...['docs', 'CHANGELOG.md'].map((name) => join(ROOT, name)),
  ],
  built: join(DOCS, 'dist/llms.txt.br'),
}

export function buildDocs(env: Environment, write: (line: string) => void): Promise<void> {
  return buildWhenBehind(BUILDING, env, write)
}
