import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { notesOf } from './notes.ts'
import { prepareRelease, releaseChanges } from './prepare.ts'

const ROOT = join(import.meta.dirname, '../..')
const NEXT = { version: '0.2.0', day: '2027-01-31' }

const CHANGELOG = `# Changelog

## [Unreleased]

### Added

- New.

## [0.1.0] - 2026-11-19

- First.
`

test('releaseChanges gives the unreleased changes a version and a day', () => {
  const released = releaseChanges(CHANGELOG, NEXT)
  expect(released).toBe(CHANGELOG.replace('## [Unreleased]\n', '## [Unreleased]\n\n## [0.2.0] - 2027-01-31\n'))
  expect(notesOf(released, '0.2.0')).toBe('### Added\n\n- New.\n')
  const first = CHANGELOG.slice(0, CHANGELOG.indexOf('\n## [0.1.0]'))
  expect(releaseChanges(first, NEXT)).toBe(
    first.replace('## [Unreleased]\n', '## [Unreleased]\n\n## [0.2.0] - 2027-01-31\n'),
  )
})

test.each([
  ['no section Unreleased', CHANGELOG.replace('[Unreleased]', '[Next]')],
  ['no unreleased changes', CHANGELOG.replace('### Added\n\n- New.\n\n', '')],
  ['already has version 0.2.0', CHANGELOG.replace('[0.1.0]', '[0.2.0]')],
])('releaseChanges rejects a changelog that has %s', (message, changelog) => {
  expect(() => releaseChanges(changelog, NEXT)).toThrow(message)
})

const COPIED = [
  'package.json',
  'pnpm-workspace.yaml',
  'deploy/kubernetes/base/kustomization.yaml',
  'deploy/package.json',
  'packages/database/migrations/0001_baseline.sql',
  'packages/sdk/package.json',
  'packages/sdk/src/client-options.ts',
]

test('prepareRelease sets the version everywhere and names the migrations of the release', { timeout: 60_000 }, () => {
  const root = mkdtempSync(join(tmpdir(), 'probity-prepare-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const file of COPIED) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    cpSync(join(ROOT, file), join(root, file))
  }
  writeFileSync(join(root, 'CHANGELOG.md'), CHANGELOG)
  writeFileSync(join(root, 'packages/database/migrations/0002_notes.sql'), 'select 1;\n')
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  const hash = (file: string) =>
    createHash('sha256')
      .update(read(`packages/database/migrations/${file}`))
      .digest('hex')

  prepareRelease(NEXT.version, { root, day: NEXT.day })

  for (const file of COPIED.filter((each) => each.endsWith('package.json')))
    expect([file, (JSON.parse(read(file)) as { version: string }).version]).toEqual([file, '0.2.0'])
  expect(read('packages/sdk/src/client-options.ts')).toContain("\nexport const VERSION = '0.2.0'\n")
  expect(read('deploy/kubernetes/base/kustomization.yaml').match(/newTag: .*/g)).toEqual([
    'newTag: 0.2.0',
    'newTag: 0.2.0',
  ])
  expect(read('CHANGELOG.md')).toContain('\n## [0.2.0] - 2027-01-31\n')
  expect(JSON.parse(read('packages/database/released.json'))).toEqual({
    migration: '0002_notes',
    sha256: {
      '0001_baseline': hash('0001_baseline.sql'),
      '0002_notes': '4a45092ccf992ea92250053a80b931b787924ba61648f420555511b84f10ab6c',
    },
  })
})
