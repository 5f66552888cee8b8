import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { validate } from 'dockerfile-utils'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { plant, REAL_ROOT } from './test-workspace.ts'

const read = (path: string) => readFileSync(join(REAL_ROOT, path), 'utf8')
const readJson = (path: string) => JSON.parse(read(path))
const [NODE = '', PNPM = ''] = ['NODE', 'PNPM'].map(
  (name) => new RegExp(`${name}_VERSION=(.+)`).exec(read('.ci/run'))?.[1],
)

type Machine = { node?: string; pnpm?: string; packages?: string }

/** Runs the real `pnpm bootstrap` with these versions and required Debian packages. */
function bootstrap({ node = `v${NODE}`, pnpm = PNPM, packages = 'coreutils ls\n' }: Machine) {
  const root = plant({ 'bin/pnpm': `#!/bin/sh\necho ${pnpm}\n`, '.ci/debian-packages': `# none\n\n${packages}` })
  if (pnpm !== '') chmodSync(join(root, 'bin/pnpm'), 0o755)
  for (const path of ['.ci/bootstrap.mjs', '.nvmrc', 'package.json'])
    copyFileSync(join(REAL_ROOT, path), join(root, path))
  const version = `data:text/javascript,Object.defineProperty(process,'version',{value:'${node}'})`
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', version, join(root, '.ci/bootstrap.mjs')],
    { encoding: 'utf8', env: { PATH: `${join(root, 'bin')}:/usr/bin:/bin` } },
  )
  return { status, stderr, lines: stdout.split('\n').map((line) => line.trim()) }
}

test('bootstrap passes and names the next commands when no program is missing', () => {
  const { status, stderr, lines } = bootstrap({})
  expect([status, stderr]).toEqual([0, ''])
  expect(lines).toEqual(
    expect.arrayContaining([
      `ok      Node v${NODE}`,
      `ok      pnpm v${PNPM}`,
      'ok      programs of the tests',
      'Next: pnpm install --frozen-lockfile, then pnpm dev --seed',
    ]),
  )
})

test.each(['v18.19.1', 'v24.3.0', 'v25.0.0'])(
  'bootstrap fails and names the required Node version on Node %s',
  (node) => {
    const { status, lines } = bootstrap({ node })
    expect(status).toBe(1)
    expect(lines[0]).toBe(`wrong   Node ${node}, needs >=24.21.0 <25`)
    expect(lines[1]).toMatch(`Install Node ${NODE}: `)
    expect(lines.join()).not.toContain('Next:')
  },
)

test.each([
  ['', 'missing pnpm (not found), needs >=12'],
  ['11.9.0', 'wrong   pnpm v11.9.0, needs >=12'],
])('bootstrap fails and prints how to install pnpm with version "%s"', (pnpm, line) => {
  const { status, lines } = bootstrap({ pnpm })
  expect(status).toBe(1)
  expect(lines.slice(1, 3)).toEqual([line, 'npm install --global pnpm@12'])
})

test('bootstrap fails and names the Debian packages of missing programs', () => {
  const packages = 'coreutils ls\nabsent-one no-such-program\nglob /usr/bin/en?\nabsent-two /no/such/*/file\n'
  const { status, lines } = bootstrap({ packages })
  expect(status).toBe(1)
  expect(lines).toContain('missing programs of the tests: absent-one absent-two')
  expect(lines.join('\n')).toMatch(/apt-get install --no-install-recommends absent-one absent-two$/m)
})

test('bootstrap depends on Node only, so that it runs before pnpm install', () => {
  const imports = [...read('.ci/bootstrap.mjs').matchAll(/ from '(.+)'/g)].map(([, name]) => name)
  expect(imports.length).toBeGreaterThan(0)
  expect(imports.filter((name) => !name?.startsWith('node:'))).toEqual([])
  expect(readJson('package.json').scripts.bootstrap).toBe('node .ci/bootstrap.mjs')
})

test('the lists of Debian packages name each package once with its program', () => {
  const rows = ['.ci/debian-packages', '.ci/debian-packages-gate-3']
    .flatMap((path) => read(path).split('\n'))
    .filter((line) => line !== '' && !line.startsWith('#'))
  expect(rows.length).toBeGreaterThan(15)
  for (const row of rows) expect(row).toMatch(/^[a-z0-9-]+ \S+$/)
  expect(new Set(rows.map((row) => row.split(' ')[0])).size).toBe(rows.length)
})

test('.ci/run, the development container and CONTRIBUTING.md use the list of Debian packages', () => {
  const container = readJson('.devcontainer/devcontainer.json')
  const dockerfile = read('.devcontainer/Dockerfile')
  expect(read('.ci/run')).toContain('LISTS=(.ci/debian-packages)')
  expect(read('.ci/run')).toContain('LISTS+=(.ci/debian-packages-gate-3)')
  expect(container.build).toEqual({ dockerfile: 'Dockerfile', context: '../.ci' })
  expect(dockerfile).toContain('\nCOPY debian-packages /tmp/debian-packages\n')
  expect(read('CONTRIBUTING.md')).toContain('`.ci/debian-packages`')
  for (const path of ['.ci/run', '.devcontainer/Dockerfile', 'CONTRIBUTING.md']) {
    expect(read(path)).not.toMatch(/\bpgbouncer haproxy\b/) // a second list of packages
  }
})

test('the development container has the Node and pnpm of .ci/run and starts PostgreSQL and Redis', () => {
  const dockerfile = read('.devcontainer/Dockerfile')
  const container = readJson('.devcontainer/devcontainer.json')
  expect(validate(dockerfile)).toEqual([])
  expect(dockerfile).toContain(`ARG NODE_IMAGE=node:${NODE}-bookworm\n`)
  expect(dockerfile).toContain(` pnpm@${PNPM}\n`)
  expect(container.postCreateCommand).toBe('pnpm install --frozen-lockfile')
  expect(existsSync(join(REAL_ROOT, container.postStartCommand))).toBe(true)
  expect(container.customizations.vscode.extensions).toEqual(readJson('.vscode/extensions.json').recommendations)
})

test('shellcheck finds no fault in the setup scripts', () => {
  const scripts = ['.ci/run', '.devcontainer/start-servers'].map((path) => join(REAL_ROOT, path))
  const { stdout } = spawnSync('shellcheck', ['--severity=error', ...scripts], { encoding: 'utf8' })
  expect(stdout).toBe('')
})

type Field = { type: string; id?: string; attributes: { label?: string; value?: string } }
type Template = { name: string; description: string; body: Field[] }

test('issue templates are forms with a name, a description and labeled fields', () => {
  const folder = '.github/ISSUE_TEMPLATE'
  const names = readdirSync(join(REAL_ROOT, folder))
  expect(names.toSorted()).toEqual(['bug.yaml', 'config.yml', 'feature.yaml'])
  for (const name of names.filter((one) => one.endsWith('.yaml'))) {
    const { body, ...template } = parse(read(`${folder}/${name}`)) as Template
    expect(template).toMatchObject({ name: expect.any(String), description: expect.any(String) })
    const fields = body.filter(({ type }) => type !== 'markdown')
    expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length)
    for (const { type, attributes } of fields) {
      expect(['input', 'textarea', 'dropdown', 'checkboxes']).toContain(type)
      expect(attributes.label).toMatch(/^[A-Z]/)
    }
  }
})

test('Renovate finds the versions of Node and pnpm in .ci/run, the Dockerfiles and the release workflow', () => {
  const { customManagers, minimumReleaseAge } = readJson('renovate.json')
  const find = (text: string) =>
    customManagers.flatMap(({ matchStrings: [pattern] }: { matchStrings: string[] }) =>
      [...text.matchAll(new RegExp(pattern ?? '', 'g'))].map(
        ({ groups }) => `${groups?.['depName']} ${groups?.['currentValue']}`,
      ),
    )
  expect(find(read('.ci/run'))).toEqual([`NODE ${NODE}`, `PNPM ${PNPM}`])
  for (const path of ['deploy/Dockerfile', '.devcontainer/Dockerfile'])
    expect(find(read(path))).toEqual([`pnpm ${PNPM}`])
  expect(find(read('.github/workflows/release.yml'))).toEqual([`pnpm ${PNPM}`, `pnpm ${PNPM}`])
  const minutes = parse(read('pnpm-workspace.yaml')).minimumReleaseAge
  expect(Number.parseInt(minimumReleaseAge, 10) * 24 * 60).toBeGreaterThan(minutes)
})
