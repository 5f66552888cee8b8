import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listFaults } from './house-rules.ts'
import { manifest, plant, REAL_ROOT } from './test-workspace.ts'

/** The faults of a work tree as they are printed. */
function judge(files: Record<string, string>): string[] {
  return listFaults(plant(files)).map(({ path, line, message }) => `${path}:${line} ${message}`)
}

test('rejects a barrel, also of types', () => {
  const faults = judge({
    'packages/sdk/src/words.ts': "export type { Status } from './status.ts'\n",
    'packages/sdk/src/again.ts': "import { a } from './a.ts'\n\nexport { a }\n",
    'packages/sdk/src/everything.ts': "export type * from './status.ts'\n",
    'packages/sdk/src/status.ts': "type Status = 'valid'\n\nexport type { Status }\n",
    'packages/sdk/src/a.ts': "import './b.ts'\n",
  })
  expect(faults).toEqual([
    'packages/sdk/src/again.ts:1 only re-exports: import the files',
    'packages/sdk/src/everything.ts:1 only re-exports: import the files',
    'packages/sdk/src/words.ts:1 only re-exports: import the files',
  ])
})

test('rejects an index file', () => {
  const faults = judge({
    'apps/web/src/pages/index.tsx': 'export const one = 1\n',
    'testing/e2e/index.ts': 'export const one = 1\n',
    'packages/engine/src/index.ts': 'export const one = 1\n',
    'packages/engine/src/reindex.ts': 'export const one = 1\n',
    'apps/web/index.html': '',
  })
  expect(faults).toEqual([
    'apps/web/src/pages/index.tsx:1 is an index: give the file the name of what it holds',
    'packages/engine/src/index.ts:1 is an index: give the file the name of what it holds',
    'testing/e2e/index.ts:1 is an index: give the file the name of what it holds',
  ])
})

test.each(['utils', 'common', 'lib', 'helpers', 'misc', 'types', 'core', 'shared'])('rejects the name %s', (name) => {
  const faults = judge({
    [`apps/api/src/http/${name}/text.ts`]: '',
    [`packages/engine/src/address/${name}/text.sql`]: '',
    [`packages/engine/src/${name}.ts`]: '',
    [`packages/engine/src/mail-${name}/text.ts`]: '',
    [`packages/engine/${name}/text.ts`]: '',
    [`docs/${name}/text.ts`]: '',
  })
  expect(faults).toEqual([
    `apps/api/src/http/${name}/text.ts:1 is called "${name}": name it for its subject`,
    `packages/engine/src/address/${name}/text.sql:1 is called "${name}": name it for its subject`,
    `packages/engine/src/${name}.ts:1 is called "${name}": name it for its subject`,
  ])
})

test('rejects writes to a mail server outside commands.ts', () => {
  const write = "socket.write('QUIT')\nsocket.end('QUIT')\nsocket.end()\nsocket.end(() => {})\n"
  const faults = judge({
    'packages/engine/src/smtp/protocol/commands.ts': write,
    'packages/engine/src/smtp/protocol/socket.ts': write,
    'packages/engine/src/smtp/protocol/socket.test.ts': write,
    'testing/lab/src/smtp/server.ts': write,
  })
  const message = 'writes by itself: what goes to a mail server goes through smtp/protocol/commands.ts'
  expect(faults).toEqual([1, 2].map((line) => `packages/engine/src/smtp/protocol/socket.ts:${line} ${message}`))
})

test('rejects process as a value', () => {
  const message = 'takes process as a value: write process.name, so that the linter sees what is used'
  const faults = judge({
    'apps/api/src/a.ts': 'const { env } = process\n\nexport const all = { ...env }\n',
    'apps/api/src/b.ts': 'export const alias = process\n',
    'apps/api/src/c.ts': 'export const all = { process }\n',
    'apps/api/src/d.ts': 'export const all = Object.keys(process)\n',
    'apps/api/src/e.ts': 'export const all = (process as unknown as { env: object }).env\n',
    'apps/api/src/f.ts': 'export const all = [process.uptime(), typeof process, { process: 1 }.process]\n',
    'apps/api/src/g.test.ts': 'export const alias = process\n',
  })
  expect(faults).toEqual(['a', 'b', 'c', 'd', 'e'].map((name) => `apps/api/src/${name}.ts:1 ${message}`))
})

test('rejects an interface, except for module augmentation', () => {
  const faults = judge({
    'apps/api/src/a.ts': 'export type Two = { two: 2 }\n\nexport interface One {\n  one: 1\n}\n',
    'apps/api/src/b.ts': "declare module 'fastify' {\n  interface FastifyRequest {\n    account: string\n  }\n}\n",
  })
  expect(faults).toEqual(['apps/api/src/a.ts:3 write "type One", not interface'])
})

test('rejects a function in a data file, which may exceed the line limit', () => {
  const faults = judge({
    'packages/engine/src/domain/data/providers.ts': 'export const list = [1]\nexport const read = () => list\n',
    'packages/engine/src/domain/data/pages.ts': 'export type Read = () => number\nexport const list = [1]\n',
    'packages/engine/src/domain/database/pages.ts': 'export const read = () => 1\n',
  })
  expect(faults).toEqual(['packages/engine/src/domain/data/providers.ts:2 a function in a data folder: data only'])
})

test('rejects an architecture page that is long or names a path that does not exist', () => {
  const page = [
    '# Architecture',
    `\`apps/api\`, \`apps/worker\` and \`NOTIFY\` ${'x'.repeat(140)}`,
    '| subject | `apps/api/src` |',
    '|---|---|',
    '| jobs | `a.ts`, `gone.ts`, `apps/api` |',
    ...Array.from({ length: 196 }, () => 'line'),
  ]
  const faults = judge({ 'ARCHITECTURE.md': `${page.join('\n')}\n`, 'apps/api/src/a.ts': '' })
  expect(faults).toEqual([
    'ARCHITECTURE.md:2 has 179 characters: 160 are the limit',
    'ARCHITECTURE.md:2 names apps/worker, which does not exist',
    'ARCHITECTURE.md:5 names gone.ts, which does not exist',
    'ARCHITECTURE.md:201 has 201 lines: 200 are the limit',
  ])
})

test('rejects an end-to-end test file without a gate, and a row without its file', () => {
  const faults = judge({
    'testing/e2e/data/gates.ts': "export const GATES = {\n  'sdk.test.ts': 2,\n  'gone.test.ts': 3,\n}\n",
    'testing/e2e/sdk.test.ts': '',
    'testing/e2e/cli.test.ts': '',
    'testing/e2e/test-cli.ts': '',
    'apps/cli/src/cli.test.ts': '',
  })
  expect(faults).toEqual([
    'testing/e2e/cli.test.ts:1 has no row in testing/e2e/data/gates.ts, so no gate runs it',
    'testing/e2e/data/gates.ts:3 there is no testing/e2e/gone.test.ts',
  ])
})

test('rejects another gate than timed for files with timed tests only, and this gate for others', () => {
  const timed = `test(\`a \${1}\`, { tags: ['timed'] }, () => {})\n`
  const other = "test.each([1])('b %s', () => {})\n"
  const gates = { 'a.test.ts': 2, 'b.test.ts': 'timed', 'c.test.ts': 3, 'd.test.ts': 'timed' }
  const faults = judge({
    'testing/e2e/data/gates.ts': `export const GATES = ${JSON.stringify(gates, null, 2)}\n`,
    'testing/e2e/a.test.ts': timed,
    'testing/e2e/b.test.ts': timed + other,
    'testing/e2e/c.test.ts': timed + other,
    'testing/e2e/d.test.ts': timed,
  })
  expect(faults).toEqual([
    "testing/e2e/data/gates.ts:2 testing/e2e/a.test.ts has timed tests only: its gate is 'timed'",
    "testing/e2e/data/gates.ts:3 testing/e2e/b.test.ts has tests that are not tagged 'timed'",
  ])
})

test('rejects a comparison of elapsed time in a test that is not tagged timed', () => {
  const moduleTag = ['@module', 'tag timed'].join('-') // in one piece, Vitest would read it as the tag of this file
  const compare = 'expect(performance.now() - began).toBeLessThan(1_000)\n'
  const faults = judge({
    'apps/api/src/a.test.ts': `test('a', () => {\n  ${compare}})\n`,
    'apps/api/src/b.test.ts': `test('b', { tags: ['timed'] }, () => {\n  ${compare}})\n`,
    'apps/api/src/c.test.ts': `/** ${moduleTag} */\ntest('c', () => {\n  ${compare}})\n`,
    'apps/api/src/d.test.ts': `test.each([1])('d', { timeout: 1, tags: ['long', 'timed'] }, () => {\n  ${compare}})\n`,
    'apps/api/src/e.test.ts': `test('e', { tags: ['long'] }, () => {\n  ${compare}})\n`,
    'apps/api/src/f.test.ts': "test('f', () => {\n  expect(performance.now()).toBe(1)\n})\n",
    'apps/api/src/g.ts': `${compare}`,
  })
  const message = "compares elapsed time: tag the test 'timed'"
  expect(faults).toEqual(['a', 'e'].map((name) => `apps/api/src/${name}.test.ts:2 ${message}`))
})

const ROWS =
  '# Dependencies\n\nThe packages and their reasons.\n\n| package | what it does | instead | who |\n|---|---|---|---|\n'

test('rejects a dependency without a row in docs/dependencies.md', () => {
  const faults = judge({
    'package.json': manifest('root', { devDependencies: { vitest: 'catalog:' } }),
    'apps/api/package.json': manifest('api', {
      dependencies: { '@probity/contract': 'workspace:*', pino: 'catalog:' },
    }),
    'docs/dependencies.md': `${ROWS}| \`vitest\` | a | b | c |\n`,
  })
  expect(faults).toEqual(['apps/api/package.json:9 pino has no row in docs/dependencies.md'])
})

test('rejects an empty or outdated row of docs/dependencies.md', () => {
  const faults = judge({
    'package.json': manifest('root', { devDependencies: { pino: 'catalog:', vitest: 'catalog:' } }),
    'docs/dependencies.md': `${ROWS}| \`vitest\` | a | b | c |\n| \`pino\` | a | | c |\n| \`express\` | a | b | c |\n`,
  })
  expect(faults).toEqual([
    'docs/dependencies.md:8 the row of pino does not have its four cells',
    'docs/dependencies.md:9 no package.json names express',
  ])
})

test('prints each fault with its location and fails, or prints nothing and passes', () => {
  const run = (files: Record<string, string>) => {
    const root = plant({ 'package.json': manifest('root'), ...files })
    const { status, stderr } = spawnSync('node', [join(REAL_ROOT, 'checks/main.ts'), root], { encoding: 'utf8' })
    return { status, stderr }
  }
  expect(run({ 'apps/api/src/index.ts': '' })).toEqual({
    status: 1,
    stderr: 'apps/api/src/index.ts:1 is an index: give the file the name of what it holds\n',
  })
  expect(run({ 'apps/api/src/server/main.ts': '' })).toEqual({ status: 0, stderr: '' })
})
