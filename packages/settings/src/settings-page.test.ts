import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { AdminSettings } from './admin-settings.ts'
import { isKnown, listSettings, PROGRAMS, SECRET_NAMES } from './every-setting.ts'
import { readSettings } from './parse.ts'
import { showSettings, writeSettingsExample, writeSettingsPage } from './settings-page.ts'

const ROOT = join(import.meta.dirname, '../../..')
const PAGE = join(ROOT, 'docs/settings.md')

test('docs/settings.md matches the schemas', () => {
  expect(readFileSync(PAGE, 'utf8')).toBe(writeSettingsPage())
})

test('.env.example matches the schemas', () => {
  expect(readFileSync(join(ROOT, '.env.example'), 'utf8')).toBe(writeSettingsExample())
})

test('.env.example with every default uncommented is a valid settings file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'probity-settings-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, '.env')
  writeFileSync(file, writeSettingsExample().replaceAll(/^#(?=\S)/gm, ''))
  const settings = readSettings(AdminSettings, { PROBITY_SETTINGS_FILE: file }, (values) => values)
  expect(settings).toEqual(readSettings(AdminSettings, {}, (values) => values))
})

test('all other pages name settings with the prefix', () => {
  const names = Object.values(PROGRAMS).flatMap((schema) => Object.keys(schema.properties))
  const short = new RegExp(
    `(?<![A-Za-z0-9_$])(?:${names.filter((name) => !name.startsWith('OTEL_')).join('|')})(?![A-Za-z0-9_])`,
  )
  const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT }).filter((page) => page !== 'docs/settings.md')
  const found = pages.flatMap((page) =>
    readFileSync(join(ROOT, page), 'utf8')
      .split('\n')
      .filter((line) => short.test(line))
      .map((line) => `${page}: ${line}`),
  )
  expect(pages.length).toBeGreaterThan(40)
  expect(found).toEqual([])
})

test('at most three settings are required', () => {
  const required = Object.values(PROGRAMS).flatMap((schema) =>
    listSettings(schema)
      .filter(([name, setting]) => (schema.required as string[]).includes(name) && setting.default === undefined)
      .map(([name]) => name),
  )
  expect(new Set(required).size).toBeLessThanOrEqual(3)
})

test('settings named like a secret are marked as secret', () => {
  const names = Object.values(PROGRAMS).flatMap((schema) => Object.keys(schema.properties))
  const like = names.filter((name) => /SECRET|PASSWORD|TOKEN|(DATABASE|REDIS|MAIL)(_[A-Z]+)?_URL$/.test(name))
  expect(like.filter((name) => !SECRET_NAMES.includes(name))).toEqual([])
  expect(SECRET_NAMES.every((name) => isKnown(`${name}_FILE`))).toBe(true)
})

test('showSettings lists every setting once with its source and without secrets', () => {
  const shown = showSettings({ DATABASE_URL: 'postgres://u:hunter2@db/x', PORT: '4000' })
  expect(new Set(shown.map(({ name }) => name)).size).toBe(shown.length)
  expect(JSON.stringify(shown)).not.toContain('hunter2')
  const find = (name: string) => shown.find((setting) => setting.name === name)
  expect(find('PROBITY_DATABASE_URL')).toEqual({
    name: 'PROBITY_DATABASE_URL',
    programs: ['api', 'worker', 'admin'],
    value: null,
    source: 'environment',
    place: null,
  })
  expect(find('PROBITY_PORT')).toMatchObject({ value: '4000', source: 'environment' })
  expect(find('PROBITY_HOST')).toMatchObject({ value: '127.0.0.1', source: 'default' })
  expect(find('PROBITY_SMTP_HELO_NAME')).toMatchObject({
    value: null,
    source: 'not set',
    programs: ['worker', 'admin'],
  })
})
