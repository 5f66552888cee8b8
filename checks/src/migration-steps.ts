import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Fault } from './fault.ts'
import type { Workspace } from './workspace.ts'

const FOLDER = 'packages/database/migrations/'
/** Names the last released migration, and the SHA-256 of each released one. Missing before the first release. */
const RELEASED = 'packages/database/released.json'
const MARK = /^-- Safe because \S+/
const OUTSIDE = '-- Outside a transaction.'

/** A statement of a migration: its text on one line and in lower case, and its first line. */
type Statement = { text: string; line: number }
type Migration = { statements: Statement[]; madeHere: Set<string> }

/** The fault of a statement, if any, while the previous version still runs. */
type Rule = (text: string, migration: Migration) => string | undefined

const RULES: Rule[] = [
  (text) =>
    /^(drop (table|view|materialized view|type|sequence|schema|policy)|truncate)\b/.test(text)
      ? 'takes away'
      : undefined,
  (text, { statements }) => {
    const name = /^drop (?:function|procedure|trigger) (?:if exists )?(\w+)/.exec(text)?.[1]
    const isMadeAgain = statements.some((one) =>
      new RegExp(`^create (function|procedure|trigger) ${name}\\b`).test(one.text),
    )
    return name === undefined || isMadeAgain ? undefined : 'takes away'
  },
  (text) => (/^revoke .* from .*\bprobity_/.test(text) ? 'takes away a right' : undefined),
  (text) => (/^alter (table|view|type|function) .*\brename\b/.test(text) ? 'renames' : undefined),
  onOldTable(/^alter table .*\bdrop (?!default|not null|constraint)/, 'takes away'),
  onOldTable(/^alter table .*\balter (column )?\w+ (set data )?type\b/, 'changes a type'),
  onOldTable(/^alter table .*\bset not null\b/, 'asks for what the version before leaves out'),
  onOldTable(
    /^alter table .*\badd (constraint|check|foreign key|unique|primary key|exclude)\b(?!.*not valid)/,
    'reads the whole table under a lock',
  ),
  (text, migration) => {
    const columns =
      onOldTable(/^alter table/, '')(text, migration) === undefined ? [] : text.split(/\badd column\b/).slice(1)
    const isBare = columns.some((column) => / not null\b/.test(column) && !/ (default|generated)\b/.test(column))
    return isBare ? 'asks for what the version before leaves out' : undefined
  },
  onOldTable(/^create (unique )?index (?!concurrently)/, 'keeps writers out while the index is made'),
  onOldTable(/^(update|delete from|merge into) /, 'changes rows of a table that may be large'),
]

/**
 * Processes of the previous version keep running while a migration is applied, and after it. So a migration adds, and
 * removals follow one version later. Other statements need a comment directly above them with the reason why they are
 * safe.
 */
export function listContractingSteps({ root, paths }: Workspace): Fault[] {
  const migrations = paths.filter((path) => path.startsWith(FOLDER) && path.endsWith('.sql'))
  if (!paths.includes(RELEASED)) return listEarlyMigrations(migrations)
  const released = JSON.parse(readFileSync(join(root, RELEASED), 'utf8')) as Released
  return [
    ...listChangedReleases(released, { root, migrations }),
    ...migrations
      .filter((path) => basename(path, '.sql') > released.migration)
      .flatMap((path) => listFaultsOf(path, readFileSync(join(root, path), 'utf8'))),
  ]
}

/** Before the first release no database has to be migrated, so the baseline changes in place. */
function listEarlyMigrations(migrations: string[]): Fault[] {
  return migrations
    .filter((path) => basename(path) !== '0001_baseline.sql')
    .map((path) => ({
      path,
      line: 1,
      message: 'is not needed before the first release: edit packages/database/schema and write the baseline',
    }))
}

type Released = { migration: string; sha256: Record<string, string> }

/** Databases contain the released migrations, so they never change. */
function listChangedReleases(
  { migration, sha256 }: Released,
  { root, migrations }: { root: string; migrations: string[] },
): Fault[] {
  const released = migrations.filter((path) => basename(path, '.sql') <= migration)
  const missing = [migration, ...Object.keys(sha256)].filter((name) => !released.includes(`${FOLDER}${name}.sql`))
  const hash = (path: string) =>
    createHash('sha256')
      .update(readFileSync(join(root, path)))
      .digest('hex')
  return [
    ...[...new Set(missing)].map((name) => ({ path: RELEASED, line: 1, message: `names ${name}, which is missing` })),
    ...released
      .filter((path) => sha256[basename(path, '.sql')] !== hash(path))
      .map((path) => ({ path, line: 1, message: 'is released and must not change: restore it and add a migration' })),
  ]
}

function listFaultsOf(path: string, text: string): Fault[] {
  const statements = listStatements(text)
  const made = statements.flatMap((one) => /^create table (?:if not exists )?(\w+)/.exec(one.text)?.[1] ?? [])
  const migration = { statements, madeHere: new Set(made) }
  const lines = text.split('\n')
  const contracting = statements
    .filter(({ line }) => !isExplained(lines, line))
    .flatMap(({ text: one, line }) => {
      const wrong = RULES.map((rule) => rule(one, migration)).find((found) => found !== undefined)
      const message = `${wrong}, with the version before still running: put it off, or say above it "-- Safe because …"`
      return wrong === undefined ? [] : [{ path, line, message }]
    })
  return [...contracting, ...listFaultsOutside(path, text, statements)]
}

/**
 * PostgreSQL creates an index concurrently only outside of a transaction, and then the other statements of the file
 * could not be rolled back.
 */
function listFaultsOutside(path: string, text: string, statements: Statement[]): Fault[] {
  const needs = statements.filter((one) => /^(create|drop) (unique )?index concurrently/.test(one.text))
  const isOutside = text.startsWith(`${OUTSIDE}\n`)
  const message = `begin the file with "${OUTSIDE}" where one statement needs it, and put nothing else into it`
  const isWrong = isOutside ? statements.length !== 1 : needs.length > 0
  return isWrong ? [{ path, line: needs[0]?.line ?? 1, message }] : []
}

/** The rule covers tables that existed before this migration. */
function onOldTable(pattern: RegExp, wrong: string): Rule {
  return (text, { madeHere }) => {
    const table =
      /^(?:alter table (?:if exists )?(?:only )?|create .*?\bindex .*?\bon (?:only )?|update |delete from |merge into )(\w+)/.exec(
        text,
      )
    return pattern.test(text) && !madeHere.has(table?.[1] ?? '') ? wrong : undefined
  }
}

function isExplained(lines: string[], line: number): boolean {
  for (let n = line - 2; lines[n]?.trimStart().startsWith('--'); n -= 1) {
    if (MARK.test(lines[n]?.trimStart() ?? '')) return true
  }
  return false
}

/** Blanks comments, texts and the bodies of functions line by line, so that line numbers stay the same. */
function listStatements(text: string): Statement[] {
  const blank = (found: string) => found.replace(/[^\n]/g, ' ')
  const bare = text
    .replace(/--.*$/gm, blank)
    .replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, blank)
    .replace(/'(?:[^']|'')*'/g, blank)
    .replace(/\bbegin atomic\b[\s\S]*?\bend(?=;)/gi, blank)
  let at = 0
  return bare.split(';').flatMap((part) => {
    const begins = at + part.length - part.trimStart().length
    at += part.length + 1
    const statement = part.trim().toLowerCase().replace(/\s+/g, ' ')
    return statement === '' ? [] : [{ text: statement, line: text.slice(0, begins).split('\n').length }]
  })
}
