import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { postgresPrograms } from '@probity/lab/services/postgres'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { createEmptyDatabase } from '../connection/test-database.ts'
import { migrate } from './migrate.ts'
import { MIGRATIONS_TABLE } from './schema-version.ts'

const run = promisify(execFile)
const SCHEMA_FOLDER = new URL('../../schema/', import.meta.url)
const BASELINE = fileURLToPath(new URL('../../migrations/0001_baseline.sql', import.meta.url))
/** `pnpm release prepare` creates it. From then on the baseline never changes, and the schema files do. */
const IS_RELEASED = existsSync(new URL('../../released.json', import.meta.url))

const BASELINE_HEAD = `-- The files of packages/database/schema in the order in which PostgreSQL needs them. Edit those files. Before the first release,
-- \`pnpm vitest run schema-files -t baseline -u\` writes this one; a released baseline never changes.
`

/**
 * The files of `schema/` in the order in which PostgreSQL needs them: a table exists before a foreign key, a view or a trigger refers
 * to it. The audit log comes early because other subjects' triggers call its functions.
 */
const SUBJECTS = [
  'system',
  'operators',
  'accounts',
  'usage',
  'billing',
  'users',
  'validations',
  'jobs',
  'batches',
  'results',
  'webhooks',
  'feedback',
  'reconciliation',
  'worker',
]

function readSchemaFiles(): Promise<string[]> {
  return Promise.all(SUBJECTS.map((subject) => readFile(new URL(`${subject}.sql`, SCHEMA_FOLDER), 'utf8')))
}

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
  await client.query((await readSchemaFiles()).join('\n'))
  await client.end()
  return url
}

test.runIf(!IS_RELEASED)('the baseline has the text of the schema files before the first release', async () => {
  await expect([BASELINE_HEAD, ...(await readSchemaFiles())].join('\n')).toMatchFileSnapshot(BASELINE)
})

test('the migrations and the schema files create the same database, object by object', async () => {
  const [migrated, created] = await Promise.all([createEmptyDatabase(), createFromSchemaFiles()])
  await migrate(migrated)
  const [fromMigrations, fromFiles] = await Promise.all([dumpObjects(migrated), dumpObjects(created)])
  expect(fromMigrations.size).toBeGreaterThan(500)
  expect([...fromFiles.keys()]).toEqual([...fromMigrations.keys()])
  for (const [name, definition] of fromFiles) expect(definition, name).toBe(fromMigrations.get(name))
})

test('each schema file has a place in the order and at most 600 lines', async () => {
  const files = await readdir(SCHEMA_FOLDER)
  expect(files.toSorted()).toEqual(SUBJECTS.map((subject) => `${subject}.sql`).toSorted())
  const lengths = (await readSchemaFiles()).map((text) => text.split('\n').length)
  expect(Math.max(...lengths)).toBeLessThanOrEqual(600)
})

test('no function is defined twice, and each has a head comment', async () => {
  const schema = (await readSchemaFiles()).join('\n')
  const names = [...schema.matchAll(/^create function (\w+)/gm)].map(([, name]) => name)
  expect(names.length).toBeGreaterThan(100)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  const commented = [...schema.matchAll(/^--.*\ncreate function (\w+)/gm)].map(([, name]) => name)
  expect(names.filter((name) => !commented.includes(name))).toEqual([])
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
