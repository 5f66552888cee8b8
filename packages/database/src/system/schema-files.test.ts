import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { postgresPrograms } from '@probity/lab/services/postgres'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { createEmptyDatabase } from '../connection/test-database.ts'
import { migrate } from './migrate.ts'
import { composeBaseline, isBaselineCurrent } from './schema-files.ts'
import { listOwnMigrations, MIGRATIONS_TABLE } from './schema-version.ts'

const run = promisify(execFile)
const SCHEMA_FOLDER = new URL('../../schema/', import.meta.url)

/** Every object of a database as pg_dump writes it, by its name and type. */
async function dumpObjects(url: string): Promise<Map<string, string>> {
  const { stdout } = await run(`${postgresPrograms()}/pg_dump`, ['--schema-only', url], { maxBuffer: 64 * 1024 * 1024 })
  const bare = stdout.replace(/^\\(un)?restrict .*$/gm, '') // random per dump
  const blocks = bare.split(/^--\n-- Name: /m).slice(1)
  return new Map(
    blocks
      .map((block): [string, string] => {
        const [name = '', ...lines] = block.split('\n')
        return [name, lines.join('\n').trim()]
      })
      .filter(([name]) => !name.startsWith(MIGRATIONS_TABLE) && !name.includes(` ${MIGRATIONS_TABLE}`))
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
}

async function createFromSchemaFiles(): Promise<string> {
  const url = await createEmptyDatabase()
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(`create table ${MIGRATIONS_TABLE} (name text, run_on timestamp)`)
  await client.query(await composeBaseline())
  await client.end()
  return url
}

test('the migrations and the schema files create the same database, object by object', async () => {
  const [migrated, created] = await Promise.all([createEmptyDatabase(), createFromSchemaFiles()])
  await migrate(migrated)
  const [fromMigrations, fromFiles] = await Promise.all([dumpObjects(migrated), dumpObjects(created)])
  expect(fromMigrations.size).toBeGreaterThan(500)
  expect([...fromFiles.keys()]).toEqual([...fromMigrations.keys()])
  for (const [name, definition] of fromFiles) expect(definition, name).toBe(fromMigrations.get(name))
})

test('the baseline is the concatenation of the schema files', async () => {
  expect(await isBaselineCurrent()).toBe(true)
  const [baseline, files] = await Promise.all([composeBaseline(), readdir(SCHEMA_FOLDER)])
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, SCHEMA_FOLDER), 'utf8')))
  expect(texts.every((text) => baseline.includes(text))).toBe(true)
  expect(files.length).toBeLessThanOrEqual(14)
  expect(Math.max(...texts.map((text) => text.split('\n').length))).toBeLessThanOrEqual(600)
})

test('no function is defined twice, and each has a head comment', async () => {
  const baseline = await composeBaseline()
  const names = [...baseline.matchAll(/^create function (\w+)/gm)].map(([, name]) => name)
  expect(names.length).toBeGreaterThan(100)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  const commented = [...baseline.matchAll(/^--.*\ncreate function (\w+)/gm)].map(([, name]) => name)
  expect(names.filter((name) => !commented.includes(name))).toEqual([])
})

test('there is one migration before the first release', async () => {
  expect(await listOwnMigrations()).toEqual(['0001_baseline'])
})

// The block of docs/database.md after <!-- test: tables -->.
test('the diagram of the docs has every table of the schema under its subject, and no other', async () => {
  const page = await readFile(new URL('../../../../docs/database.md', import.meta.url), 'utf8')
  const [, diagram = ''] = /<!-- test: tables -->\n```text\n(.*?)```/s.exec(page) ?? []
  const sections = diagram.split(/\n(?=[a-z])/)
  for (const file of await readdir(SCHEMA_FOLDER)) {
    const subject = file.replace('.sql', '')
    const text = await readFile(new URL(file, SCHEMA_FOLDER), 'utf8')
    const tables = [...text.matchAll(/^create table (\w+)/gm)].map(([, table]) => table)
    const words = new Set(sections.find((section) => section.startsWith(`${subject} `))?.match(/\w+/g))
    expect([subject, ...tables.filter((table) => !words.has(table ?? ''))]).toEqual([subject])
  }
})
