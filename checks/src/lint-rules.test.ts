import { expect, test } from 'vitest'
import { manifest, type Planted, plant, readScripts, runBiome, runOxlint } from './test-workspace.ts'

/**
 * One lint rule: the files in `refused` break the rules in `by`, and no others; the files in `allowed` break none. The
 * allowed files differ as little as possible from the refused ones, so that a rule that rejects too much is detected as
 * well.
 */
type Case = { rule: string; by: string[]; refused: Planted; allowed: Planted }

const lines = (count: number, text: string) => `${text}\n`.repeat(count)
const constants = (count: number) =>
  Array.from({ length: count }, (_, index) => `export const value${index} = ${index}\n`).join('')
const longFunction = (count: number) => `export function long(log: string[]) {\n${lines(count, "  log.push('')")}}\n`

const BIOME: Case[] = [
  {
    rule: 'rejects Node modules in code that also runs in browsers',
    by: ['lint/correctness/noNodejsModules', 'lint/style/noRestrictedImports'],
    refused: {
      'packages/contract/src/host.ts': "import { hostname } from 'node:os'\n\nexport const host = hostname()\n",
      'packages/engine/src/address/host.ts': "import { hostname } from 'node:os'\n\nexport const host = hostname()\n",
      'packages/engine/src/verdict/host.ts':
        "import { resolve4 } from 'node:dns/promises'\n\nexport const ask = resolve4\n",
      'packages/sdk/src/host.ts': "import { hostname } from 'node:os'\n\nexport const host = hostname()\n",
      'packages/engine/src/verdict/lazy.ts': "export const host = await import('node:os')\n",
      'apps/web/src/host.ts': "import { hostname } from 'node:os'\n\nexport const host = hostname()\n",
    },
    allowed: {
      'packages/contract/src/host.test.ts': "import { hostname } from 'node:os'\n\nhostname()\n",
      'packages/sdk/src/test-host.ts': "import { hostname } from 'node:os'\n\nhostname()\n",
      'apps/web/src/host.test.tsx': "import { hostname } from 'node:os'\n\nhostname()\n",
      'packages/engine/src/address/host.test.ts': "import { hostname } from 'node:os'\n\nhostname()\n",
      'packages/engine/src/domain/host.ts':
        "import { resolve4 } from 'node:dns/promises'\n\nexport const ask = resolve4\n",
    },
  },
  {
    rule: 'rejects Node modules by their bare name in browser code',
    by: ['lint/correctness/noNodejsModules', 'lint/style/useNodejsImportProtocol'],
    refused: { 'packages/contract/src/bare.ts': "import { hostname } from 'os'\n\nexport const host = hostname()\n" },
    allowed: {},
  },
  {
    rule: 'rejects types of Node modules in browser code',
    by: ['lint/style/noRestrictedImports'],
    refused: {
      'packages/engine/src/verdict/record.ts':
        "import type { MxRecord } from 'node:dns'\n\nexport type Hosts = MxRecord[]\n",
    },
    allowed: {
      'packages/engine/src/domain/record.ts':
        "import type { MxRecord } from 'node:dns'\n\nexport type Hosts = MxRecord[]\n",
    },
  },
  {
    rule: 'rejects Node globals in browser code',
    by: ['lint/style/noRestrictedGlobals'],
    refused: {
      'packages/engine/src/address/bytes.ts': "export const bytes = Buffer.from('')\n",
      'packages/contract/src/bytes.ts': 'export const bytes = process.uptime()\n',
    },
    allowed: { 'packages/engine/src/smtp/bytes.ts': "export const bytes = Buffer.from('')\n" },
  },
  {
    rule: 'rejects process.env outside main.ts',
    by: ['lint/style/noProcessEnv'],
    refused: {
      'apps/api/src/server/config.ts': "export const url = process.env['DATABASE_URL']\n",
      'apps/api/src/routes/main.ts': "export const url = process.env['DATABASE_URL']\n",
      'packages/database/src/main.ts': "export const url = process['env']['DATABASE_URL']\n",
      'packages/database/src/global.ts': "export const url = globalThis.process.env['DATABASE_URL']\n",
    },
    allowed: {
      'apps/worker/src/server/main.ts': "export const url = process.env['DATABASE_URL']\n",
      'apps/worker/src/server/main.test.ts': "export const url = process.env['DATABASE_URL']\n",
      'benchmarks/main.ts': "export const url = process.env['DATABASE_URL']\n",
      'checks/main.ts': "export const url = process.env['DATABASE_URL']\n",
      'testing/e2e/start.ts': "export const url = process.env['DATABASE_URL']\n",
      'testing/lab/lab.config.ts': "export const url = process.env['DATABASE_URL']\n",
    },
  },
  {
    rule: 'rejects an import of env from node:process',
    by: ['lint/style/noRestrictedImports'],
    refused: { 'apps/api/src/environment.ts': "import { env } from 'node:process'\n\nexport const all = { ...env }\n" },
    allowed: { 'apps/api/src/uptime.ts': 'export const started = process.uptime()\n' },
  },
  {
    rule: 'rejects process.exit outside main.ts',
    by: ['lint/nursery/noProcessExit'],
    refused: { 'apps/admin/src/commands/stop.ts': 'export const stop = () => process.exit(1)\n' },
    allowed: { 'apps/admin/src/main.ts': 'export const stop = () => process.exit(1)\n' },
  },
  {
    rule: 'rejects a barrel',
    by: ['lint/performance/noBarrelFile'],
    refused: {
      'apps/cli/src/doors.ts': "export { one } from './one.ts'\n",
      'apps/cli/src/half-a-door.ts': "export { one } from './one.ts'\n\nexport const two = 2\n",
    },
    allowed: {
      'apps/cli/src/one.ts': 'export const one = 1\n',
      'apps/cli/src/two.ts': "import { one } from './one.ts'\n\nexport const two = one + one\n",
    },
  },
  {
    rule: 'rejects a re-export of everything',
    by: ['lint/performance/noBarrelFile', 'lint/performance/noReExportAll'],
    refused: { 'apps/cli/src/all.ts': "export * from './one.ts'\n" },
    allowed: {},
  },
  {
    rule: 'rejects an export of an import',
    by: ['lint/style/noExportedImports'],
    refused: { 'apps/cli/src/through.ts': "import { one } from './one.ts'\n\nexport { one }\n" },
    allowed: { 'apps/cli/src/named.ts': 'const three = 3\n\nexport { three }\n' },
  },
  {
    rule: 'rejects an import cycle',
    by: ['lint/suspicious/noImportCycles'],
    refused: {
      'apps/worker/src/hen.ts': "import { egg } from './egg.ts'\n\nexport const hen = () => egg()\n",
      'apps/worker/src/egg.ts': "import { chick } from './chick.ts'\n\nexport const egg = () => chick()\n",
      'apps/worker/src/chick.ts': "import { hen } from './hen.ts'\n\nexport const chick = () => hen()\n",
    },
    allowed: {
      'apps/worker/src/seed.ts': "import { plant } from './plant.ts'\n\nexport const seed = () => plant()\n",
      'apps/worker/src/plant.ts': 'export const plant = () => 1\n',
    },
  },
  {
    rule: 'rejects an import cycle of types',
    by: ['lint/suspicious/noImportCycles'],
    refused: {
      'apps/worker/src/night.ts': "import type { Day } from './day.ts'\n\nexport type Night = { next: Day }\n",
      'apps/worker/src/day.ts': "import type { Night } from './night.ts'\n\nexport type Day = { next: Night }\n",
    },
    allowed: {},
  },
  {
    rule: 'rejects a file over 400 lines, except tests, data and generated files',
    by: ['lint/style/noExcessiveLinesPerFile'],
    refused: { 'packages/redis/src/long.ts': constants(401) },
    allowed: {
      'packages/redis/src/just-right.ts': constants(400),
      'packages/redis/src/long.test.ts': lines(401, "''.trim()"),
      'apps/web/src/long.test.tsx': lines(401, "''.trim()"),
      'packages/engine/src/domain/data/long.ts': constants(401),
      'packages/sdk/src/generated/long.ts': constants(401),
    },
  },
  {
    rule: 'rejects a function over 60 lines',
    by: ['lint/complexity/noExcessiveLinesPerFunction'],
    refused: { 'packages/redis/src/function.ts': longFunction(61) },
    allowed: {
      'packages/redis/src/shorter.ts': longFunction(60),
      'packages/redis/src/function.test.ts': longFunction(61).replace('export ', '').concat('\nlong([])\n'),
    },
  },
  {
    rule: 'rejects a dependency that package.json does not list, or lists for development only',
    by: ['lint/correctness/noUndeclaredDependencies'],
    refused: {
      'apps/api/src/unlisted.ts': "import { Redis } from 'ioredis'\n\nexport const redis = new Redis()\n",
      'apps/api/src/unlisted.test.ts': "import { Redis } from 'ioredis'\n\nexport const redis = new Redis()\n",
      'apps/api/src/ours.ts': "import { listJobs } from '@probity/redis/jobs'\n\nlistJobs()\n",
      'apps/api/src/development.ts': "import { chromium } from 'playwright-core'\n\nexport const browser = chromium\n",
    },
    allowed: {
      'apps/api/src/listed.ts': "import { fastify } from 'fastify'\n\nexport const app = fastify()\n",
      'apps/api/src/listed.test.ts': "import { chromium } from 'playwright-core'\n\nchromium.name()\n",
      'apps/api/src/test-browser.ts': "import { chromium } from 'playwright-core'\n\nexport const browser = chromium\n",
      'apps/api/src/listed.test.tsx': "import { chromium } from 'playwright-core'\n\nchromium.name()\n",
      'apps/api/api.config.ts': "import { chromium } from 'playwright-core'\n\nexport const browser = chromium\n",
      'apps/api/vitest.browser.ts': "import { chromium } from 'playwright-core'\n\nexport const browser = chromium\n",
      'testing/e2e/browser.ts': "import { chromium } from 'playwright-core'\n\nexport const browser = chromium\n",
    },
  },
  {
    rule: 'rejects a default export',
    by: ['lint/style/noDefaultExport'],
    refused: { 'packages/sdk/src/client.ts': 'export default function client() {}\n' },
    allowed: {
      'packages/sdk/src/named.ts': 'export function client() {}\n',
      'packages/sdk/vitest.config.ts': 'export default {}\n',
      'vitest.setup.ts': 'export default {}\n',
    },
  },
  {
    rule: 'rejects an enum',
    by: ['lint/style/noEnum'],
    refused: { 'packages/sdk/src/colour.ts': "export enum Colour {\n  Red = 'red',\n}\n" },
    allowed: { 'packages/sdk/src/shade.ts': "export type Shade = 'light' | 'dark'\n" },
  },
  {
    rule: 'rejects a file name that is not in kebab-case',
    by: ['lint/style/useFilenamingConvention'],
    refused: { 'packages/sdk/src/readKey.ts': '', 'packages/sdk/src/ReadKey.ts': '', 'apps/web/src/readKey.tsx': '' },
    allowed: { 'packages/sdk/src/read-key.ts': '', 'apps/web/src/pages/KeyPage.tsx': '' },
  },
  {
    rule: 'rejects a value import of a module that is used for types only',
    by: ['lint/style/useImportType'],
    refused: { 'packages/sdk/src/loads.ts': "import { Shade } from './shade.ts'\n\nexport type Two = Shade[]\n" },
    allowed: { 'packages/sdk/src/erases.ts': "import type { Shade } from './shade.ts'\n\nexport type Two = Shade[]\n" },
  },
  {
    rule: 'rejects throwing a value that is not an error',
    by: ['lint/style/useThrowOnlyError'],
    refused: { 'packages/sdk/src/throws.ts': "export function fail() {\n  throw 'no'\n}\n" },
    allowed: { 'packages/sdk/src/errs.ts': "export function fail() {\n  throw new Error('no')\n}\n" },
  },
  {
    rule: 'rejects test.only',
    by: ['lint/suspicious/noFocusedTests'],
    refused: { 'apps/api/src/one.test.ts': "import { test } from 'vitest'\n\ntest.only('counts', () => {})\n" },
    allowed: { 'apps/api/src/each.test.ts': "import { test } from 'vitest'\n\ntest('counts', () => {})\n" },
  },
  {
    rule: 'rejects unformatted code',
    by: ['format'],
    refused: { 'packages/sdk/src/quotes.ts': 'export const text = "double";\n' },
    allowed: {
      'packages/sdk/src/single.ts': "export const text = 'single'\n",
      'coverage/report.ts': 'export const text = "double";\n',
    },
  },
]

const PROMISE = 'async function ask() {\n  return 1\n}\n\n'

const OXLINT: Case[] = [
  {
    rule: 'rejects a floating rule',
    by: ['typescript(no-floating-promises)'],
    refused: { 'apps/api/src/floating.ts': `${PROMISE}export function go() {\n  ask()\n}\n` },
    allowed: { 'apps/api/src/awaited.ts': `${PROMISE}export async function go() {\n  await ask()\n}\n` },
  },
  {
    rule: 'rejects an async function where no return value is expected',
    by: ['typescript(no-misused-promises)'],
    refused: {
      'apps/api/src/misused.ts': `${PROMISE}export const go = () => [1].forEach(async () => void (await ask()))\n`,
    },
    allowed: { 'apps/api/src/used.ts': `${PROMISE}export const go = () => [1].map(async () => void (await ask()))\n` },
  },
  {
    rule: 'rejects returning a rule from a try without await',
    by: ['typescript(return-await)'],
    refused: {
      'apps/api/src/early.ts': `${PROMISE}export async function go() {\n  try {\n    return ask()\n  } catch {\n    return 0\n  }\n}\n`,
    },
    allowed: {
      'apps/api/src/late.ts': `${PROMISE}export async function go() {\n  try {\n    return await ask()\n  } catch {\n    return 0\n  }\n}\n`,
    },
  },
  {
    rule: 'rejects sorting numbers without a compare function',
    by: ['typescript(require-array-sort-compare)'],
    refused: { 'apps/api/src/sorts.ts': 'export const sorted = [10, 9].toSorted()\n' },
    allowed: { 'apps/api/src/sorts-well.ts': 'export const sorted = [10, 9].toSorted((a, b) => a - b)\n' },
  },
  {
    rule: 'rejects a switch without all kinds of a union',
    by: ['typescript(switch-exhaustiveness-check)'],
    refused: {
      'apps/api/src/forgets.ts':
        "export function read(kind: 'a' | 'b') {\n  switch (kind) {\n    case 'a':\n      return 1\n  }\n  return 2\n}\n",
    },
    allowed: {
      'apps/api/src/remembers.ts':
        "export function read(kind: 'a' | 'b') {\n  switch (kind) {\n    case 'a':\n      return 1\n    case 'b':\n      return 2\n  }\n}\n",
    },
  },
  {
    rule: 'rejects an empty catch without a comment',
    by: ['eslint(no-empty)'],
    refused: { 'apps/api/src/silent.ts': 'export function go() {\n  try {\n    JSON.parse("")\n  } catch {}\n}\n' },
    allowed: {
      'apps/api/src/spoken.ts':
        'export function go() {\n  try {\n    JSON.parse("")\n  } catch {\n    // The next step reports the error.\n  }\n}\n',
    },
  },
  {
    rule: 'rejects a TODO',
    by: ['eslint(no-warning-comments)'],
    refused: {
      'apps/api/src/later.ts': '// TODO: more of them\nexport const one = 1\n',
      'apps/api/src/much-later.ts': '/** FIXME: more of them */\nexport const one = 1\n',
    },
    allowed: { 'apps/api/src/now.ts': '// The list "todo" belongs to another program.\nexport const one = 1\n' },
  },
  {
    rule: 'rejects a test title with should',
    by: ['vitest(valid-title)'],
    refused: { 'apps/api/src/wish.test.ts': "import { test } from 'vitest'\n\ntest('should count', () => {})\n" },
    allowed: { 'apps/api/src/fact.test.ts': "import { test } from 'vitest'\n\ntest('counts', () => {})\n" },
  },
]

const SKELETON: Planted = {
  'package.json': manifest('root'),
  'apps/api/package.json': manifest('api', {
    dependencies: { fastify: 'catalog:' },
    devDependencies: { 'playwright-core': 'catalog:', vitest: 'catalog:' },
  }),
  'testing/e2e/package.json': manifest('e2e', { devDependencies: { 'playwright-core': 'catalog:' } }),
}

const all = (cases: Case[], side: 'refused' | 'allowed'): Planted =>
  Object.assign({}, ...cases.map((planted) => planted[side]))

const biome = runBiome(plant({ ...SKELETON, ...all(BIOME, 'allowed'), ...all(BIOME, 'refused') }))
const oxlint = runOxlint(plant({ ...SKELETON, ...all(OXLINT, 'allowed'), ...all(OXLINT, 'refused') }))

test.each(BIOME)('$rule', ({ by, refused, allowed }) => {
  for (const path of Object.keys(refused)) expect([path, biome.rulesOf(path)]).toEqual([path, by])
  for (const path of Object.keys(allowed)) expect([path, biome.rulesOf(path)]).toEqual([path, []])
})

test.each(OXLINT)('$rule', ({ by, refused, allowed }) => {
  for (const path of Object.keys(refused)) expect([path, oxlint.rulesOf(path)]).toEqual([path, by])
  for (const path of Object.keys(allowed)) expect([path, oxlint.rulesOf(path)]).toEqual([path, []])
})

test('the linters fail for refused files and pass for allowed ones', () => {
  expect([biome.ok, oxlint.ok]).toEqual([false, false])
  expect(runBiome(plant({ ...SKELETON, ...all(BIOME, 'allowed') })).ok).toBe(true)
  expect(runOxlint(plant({ ...SKELETON, ...all(OXLINT, 'allowed') })).ok).toBe(true)
})

test('pnpm check runs types, linters, house rules and unit tests', () => {
  const scripts = readScripts()
  const [atOnce = '', ...then] = scripts['check']?.split(' && ') ?? []
  const pattern = new RegExp(/^pnpm run '\/(.+)\/'$/.exec(atOnce)?.[1] ?? 'none')
  expect(Object.keys(scripts).filter((name) => pattern.test(name))).toEqual([
    'check:types',
    'check:lint',
    'check:house',
  ])
  expect(then).toEqual(['pnpm run test:unit'])
})
