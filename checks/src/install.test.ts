import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { listFaults } from './house-rules.ts'
import { listPublishAges } from './publish-ages.ts'
import { install, plantInstall, startRegistry } from './test-registry.ts'
import { manifest } from './test-workspace.ts'

const MANY = Array.from({ length: 31 }, (_, n) => `small-${n}`)

const registry = await startRegistry([
  {
    name: 'scripted',
    manifest: { scripts: { postinstall: 'node -e "fs.writeFileSync(process.env.MARK, String())"' } },
  },
  { name: 'fresh', days: 2 },
  { name: 'ripe', days: 4 },
  { name: 'beyond', manifest: { dependencies: { ripe: '{registry}/ripe.tgz' } } },
  { name: 'copyleft', manifest: { license: 'GPL-3.0-only' } },
  { name: 'either', manifest: { license: '(MIT OR GPL-3.0-only)' } },
  { name: 'both', manifest: { license: '(MIT AND GPL-3.0-only)' } },
  { name: 'silent', manifest: { license: undefined } },
  ...MANY.map((name) => ({ name })),
])

/** A work tree whose api depends on these packages. */
function plantApi(names: string[], changed: object = {}): string {
  const dependencies = Object.fromEntries(names.map((name) => [name, 'catalog:']))
  const catalog = Object.fromEntries(names.map((name) => [name, '1.0.0']))
  return plantInstall(
    registry.url,
    { 'apps/api/package.json': manifest('api', { dependencies }) },
    { catalog, ...changed },
  )
}

test('no package script runs during the install, and a package with one stops the install', async () => {
  const root = plantApi(['scripted'])
  const mark = join(root, 'mark')
  process.env['MARK'] = mark
  const refused = await install(root)
  expect(refused.output).toContain('ERR_PNPM_IGNORED_BUILDS')
  expect([refused.ok, existsSync(mark)]).toEqual([false, false])

  const allowing = plantApi(['scripted'], { allowBuilds: { scripted: true } })
  expect((await install(allowing)).ok).toBe(true)
  expect(existsSync(mark)).toBe(true) // the script would have created it
})

test('a version published within three days is not installed, even from a lockfile', async () => {
  expect(await install(plantApi(['ripe']))).toMatchObject({ ok: true })
  const refused = await install(plantApi(['fresh']))
  expect(refused.ok).toBe(false)
  expect(refused.output).toMatch(/minimumReleaseAge|MATURE|RELEASE_AGE/)

  const root = plantApi(['fresh'], { minimumReleaseAge: 0 })
  expect(await install(root)).toMatchObject({ ok: true })
  const settings = join(root, 'pnpm-workspace.yaml')
  const careless = parse(readFileSync(settings, 'utf8')) as object
  writeFileSync(settings, stringify({ ...careless, minimumReleaseAge: 4320 }))
  const locked = await install(root, '--frozen-lockfile', '--force')
  expect(locked.ok).toBe(false)
  expect(locked.output).toContain('MINIMUM_RELEASE_AGE_VIOLATION')
})

test('a package with a dependency outside the registry is rejected', async () => {
  const refused = await install(plantApi(['beyond']))
  expect(refused.ok).toBe(false)
  expect(refused.output).toMatch(/EXOTIC/)
})

test('rejects an unlisted license, and a missing one', async () => {
  const root = plantApi(['copyleft', 'either', 'both', 'silent', 'ripe'])
  expect(await install(root)).toMatchObject({ ok: true })
  const faults = listFaults(root).filter(({ message }) => message.includes('licence'))
  expect(faults.map(({ path, message }) => `${path} ${message}`)).toEqual([
    'apps/api/package.json brings both@1.0.0, whose licence is (MIT AND GPL-3.0-only)',
    'apps/api/package.json brings copyleft@1.0.0, whose licence is GPL-3.0-only',
    'apps/api/package.json brings silent@1.0.0, whose licence is unknown',
  ])
})

test('rejects a program with more packages than its limit', async () => {
  const dependencies = Object.fromEntries(MANY.map((name) => [name, 'catalog:']))
  const catalog = Object.fromEntries(MANY.map((name) => [name, '1.0.0']))
  const root = plantInstall(registry.url, { 'apps/cli/package.json': manifest('cli', { dependencies }) }, { catalog })
  expect(await install(root)).toMatchObject({ ok: true })
  const messages = listFaults(root).map(({ message }) => message)
  expect(messages).toContain('brings 31 packages of others, more than 30 (checks/src/data/runtime-programs.ts)')
})

test('reports package ages, and packages that the registry did not report', async () => {
  const asked = ['ripe', 'small-1', 'gone'].map((name) => ({ name, version: '1.0.0', purl: '' }))
  const { ages, unanswered } = await listPublishAges(registry.url, asked, Date.now() + 60_000)
  expect(ages).toMatchObject([
    { name: 'ripe', days: 4, last_days: 4 },
    { name: 'small-1', days: 30, last_days: 30 },
  ])
  expect(unanswered).toEqual([{ name: 'gone', version: '1.0.0', error: 'the registry said 404' }])
})
