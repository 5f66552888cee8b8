import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { composeManifest, type Manifest } from './packages.ts'

const ROOT = join(import.meta.dirname, '../..')
const VERSION = /^\d+\.\d+\.\d+$/

const read = (path: string) => JSON.parse(readFileSync(join(ROOT, path, 'package.json'), 'utf8')) as Manifest

test.each(['packages/sdk', 'apps/cli'])(
  'the published manifest of %s can be installed from a registry alone',
  (path) => {
    const manifest = composeManifest(path, read(path), '') as Manifest
    for (const key of ['private', 'scripts', 'devDependencies', 'repository']) expect(manifest).not.toHaveProperty(key)
    expect(JSON.stringify(manifest)).not.toMatch(/workspace:|catalog:|\.\/src\//)
    for (const [name, version] of Object.entries(manifest.dependencies ?? {})) {
      expect(name).not.toMatch(/^@probity\//)
      expect(version).toMatch(VERSION)
    }
  },
)

test('composeManifest rejects a dependency that is a package of this repository', () => {
  const manifest = { ...read('apps/cli'), dependencies: { '@probity/engine': 'workspace:*' } }
  expect(() => composeManifest('apps/cli', manifest, '')).toThrow('@probity/engine workspace:* is not in the catalog')
})

test('composeManifest names the repository and the folder of the package', () => {
  expect(composeManifest('packages/sdk', read('packages/sdk'), 'https://example.com/probity')).toMatchObject({
    repository: { type: 'git', url: 'git+https://example.com/probity.git', directory: 'packages/sdk' },
  })
})

test('the SDK and the CLI have the version of the workspace', () => {
  const { version } = read('.')
  expect([read('packages/sdk').version, read('apps/cli').version]).toEqual([version, version])
})
