import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listFaults } from './house-rules.ts'
import { manifest, plant, REAL_ROOT } from './test-workspace.ts'

const SETTINGS = readFileSync(join(REAL_ROOT, 'pnpm-workspace.yaml'), 'utf8')
const PAGE = '# Dependencies\n\nThe packages and their reasons.\n'
const DOCS = `${PAGE}\n| \`pino\` | a | b | c |\n| \`vitest\` | a | b | c |\n`
const HASH = 'sha512-aaaa=='

function judge(files: Record<string, string>): string[] {
  const faults = listFaults(plant({ 'docs/dependencies.md': DOCS, 'pnpm-workspace.yaml': SETTINGS, ...files }))
  return faults.map(({ path, line, message }) => `${path}:${line} ${message}`)
}

/** A lockfile of one part with this dependency, and a package with this resolution. */
const lockfile = (specifier: string, resolution: string) =>
  [
    'importers:',
    '  packages/redis:',
    '    dependencies:',
    '      pino:',
    `        specifier: '${specifier}'`,
    '        version: 1.0.0',
    'packages:',
    '  pino@1.0.0:',
    `    resolution: {${resolution}}`,
    '',
  ].join('\n')

const files = (specifier: string) => ({
  'package.json': manifest('root'),
  'packages/redis/package.json': manifest('redis', { dependencies: { pino: specifier } }),
  'docs/dependencies.md': `${PAGE}\n| \`pino\` | a | b | c |\n`,
})

test('rejects a lockfile whose dependency differs from package.json', () => {
  expect(judge({ ...files('catalog:'), 'pnpm-lock.yaml': lockfile('catalog:', `integrity: ${HASH}`) })).toEqual([])
  expect(judge({ ...files('catalog:'), 'pnpm-lock.yaml': lockfile('1.0.0', `integrity: ${HASH}`) })).toEqual([
    'packages/redis/package.json:8 pino is not in pnpm-lock.yaml like this',
  ])
})

test.each(['^1.0.0', 'latest', 'github:pinojs/pino', 'https://example.com/pino.tgz', 'file:../pino'])(
  'rejects the version %s in a package.json',
  (version) => {
    expect(judge({ ...files(version), 'pnpm-lock.yaml': lockfile(version, `integrity: ${HASH}`) })).toContain(
      `packages/redis/package.json:8 pino is "${version}": write "catalog:", and its version into pnpm-workspace.yaml`,
    )
  },
)

test.each([
  ['no hash', 'directory: ../pino, type: directory'],
  ['a weak hash', 'integrity: sha1-aaaa'],
  ['a tarball of its own', `integrity: ${HASH}, tarball: elsewhere.tgz`],
  ['a commit', 'repo: pinojs/pino, commit: aaaa, type: git'],
])('rejects a package with %s', (_, resolution) => {
  expect(judge({ ...files('catalog:'), 'pnpm-lock.yaml': lockfile('catalog:', resolution) })).toEqual([
    'pnpm-lock.yaml:8 pino@1.0.0 is not from the registry, or its bytes are not fixed by a SHA-512',
  ])
})

test('rejects a lockfile that names a host', () => {
  const text = `${lockfile('catalog:', `integrity: ${HASH}`)}# https://example.com\n`
  expect(judge({ ...files('catalog:'), 'pnpm-lock.yaml': text })).toEqual([
    'pnpm-lock.yaml:10 names a host: packages come from the registry',
  ])
})

test('rejects a version range in the catalog', () => {
  const loose = SETTINGS.replace(/^ {2}pino: .*/m, '  pino: ^1.0.0')
  const faults = judge({
    ...files('catalog:'),
    'pnpm-workspace.yaml': loose,
    'pnpm-lock.yaml': lockfile('catalog:', `integrity: ${HASH}`),
  })
  expect(faults).toEqual([expect.stringMatching(/^pnpm-workspace.yaml:\d+ pino is "\^1.0.0": name one version$/)])
})

test.each([
  ['minimumReleaseAge: 4320', 'minimumReleaseAge: 60', 'minimumReleaseAge must be 4320 or more'],
  ['minimumReleaseAge: 4320', '', 'minimumReleaseAge must be 4320 or more'],
  ['minimumReleaseAgeStrict: true', '', 'minimumReleaseAgeStrict must be true'],
  ['strictDepBuilds: true', 'strictDepBuilds: false', 'strictDepBuilds must be true'],
  ['blockExoticSubdeps: true', '', 'blockExoticSubdeps must be true'],
  ['packages:', 'trustLockfile: true\npackages:', 'trustLockfile disables a protection'],
  [/esbuild: false #.*/, 'esbuild: true', 'esbuild has no reason'],
])('rejects pnpm settings where %s has become "%s"', (from, to, message) => {
  const faults = judge({ 'pnpm-workspace.yaml': SETTINGS.replace(from, to), 'docs/dependencies.md': PAGE })
  expect(faults).toEqual([expect.stringContaining(message)])
})

test('rejects an install command that may change the lockfile, in documentation and scripts', () => {
  const faults = judge({
    'docs/dependencies.md': PAGE,
    'README.md':
      '# Readme\n\n`pnpm install` installs.\n\n```sh\npnpm install\npnpm install --prod --frozen-lockfile\n```\n',
    '.ci/run': '# pnpm install\nstep pnpm install\n',
    'deploy/Dockerfile': 'RUN pnpm i --prod\nRUN pnpm install --frozen-lockfile\nRUN pnpm import\n',
  })
  expect(faults).toEqual([
    '.ci/run:2 installs without --frozen-lockfile',
    'deploy/Dockerfile:1 installs without --frozen-lockfile',
    'README.md:6 installs without --frozen-lockfile',
  ])
})
