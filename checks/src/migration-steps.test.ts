import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listFaults } from './house-rules.ts'
import { plant, REAL_ROOT } from './test-workspace.ts'

const LAST = 'select 31;'
const FOLDER = 'packages/database/migrations'

const hash = (text: string) => createHash('sha256').update(text).digest('hex')

/** The last released migration, and the file that names it. */
const RELEASED = {
  'packages/database/released.json': JSON.stringify({ migration: '0031_last', sha256: { '0031_last': hash(LAST) } }),
  [`${FOLDER}/0031_last.sql`]: LAST,
}

function judge(text: string): string[] {
  const faults = listFaults(plant({ ...RELEASED, [`${FOLDER}/0100_next.sql`]: text }))
  return faults.map(({ line, message }) => `${line} ${message.replace(/, with the version before .*/, '')}`)
}

test.each([
  ['alter table jobs drop column filename;', 'takes away'],
  ['drop table jobs;', 'takes away'],
  ['drop function find_api_key(bytea);', 'takes away'],
  ['drop policy tenant on jobs;', 'takes away'],
  ['truncate jobs;', 'takes away'],
  ['revoke select on jobs from probity_app;', 'takes away a right'],
  ['alter table jobs rename column filename to name;', 'renames'],
  ['alter table jobs rename to lists;', 'renames'],
  ['ALTER TABLE jobs\n  ALTER COLUMN served TYPE integer;', 'changes a type'],
  ['alter table jobs alter column filename set not null;', 'asks for what the version before leaves out'],
  ['alter table jobs add column note text not null;', 'asks for what the version before leaves out'],
  [
    'alter table jobs add column a text not null default 1, add column b text not null;',
    'asks for what the version before leaves out',
  ],
  ['alter table jobs add constraint named check (served > 0);', 'reads the whole table under a lock'],
  ['create index jobs_by_name on jobs (filename);', 'keeps writers out while the index is made'],
  ['create unique index jobs_by_name on only jobs (filename);', 'keeps writers out while the index is made'],
  ['update jobs set served = 0;', 'changes rows of a table that may be large'],
  ['delete from jobs where served = 0;', 'changes rows of a table that may be large'],
])('rejects %s', (statement, message) => {
  expect(judge(`-- A comment.\nselect 1;\n\n${statement}\n`)).toEqual([`4 ${message}`])
  expect(judge(`-- Safe because the table is empty.\n-- More.\n${statement}\n`)).toEqual([])
  expect(judge(`-- Safe because the table is empty.\nselect 1;\n${statement}\n`)).toEqual([`3 ${message}`])
})

test('accepts migrations that only add', () => {
  const text = `
    create table notes (id uuid primary key, text text not null); -- drop table jobs;
    create index notes_by_text on notes (text);
    alter table notes add check (text <> 'drop table jobs; update jobs set x = 1');
    update notes set text = '';
    alter table jobs add column note text, add column kind text not null default 'one', add column no integer generated always as (1) stored;
    alter table jobs add constraint small check (dispatched < 5) not valid;
    drop function find_api_key(bytea);
    create function find_api_key(p_hash bytea) returns void language plpgsql as $$ begin delete from jobs; end $$;
    create function clean() returns void language sql begin atomic
      delete from jobs;
      update jobs set dispatched = 0;
    end;
    drop trigger kept on jobs;
    create trigger kept before delete on jobs for each row execute function audit_entries_keep_a_year();
    revoke execute on function clean() from public;
    grant execute on function clean() to probity_app;
  `
  expect(judge(text)).toEqual([])
})

test('a concurrent index has its own file, outside a transaction', () => {
  const index = 'create index concurrently jobs_by_name on jobs (filename);\n'
  expect(judge(`-- Outside a transaction.\n${index}`)).toEqual([])
  const message =
    'begin the file with "-- Outside a transaction." where one statement needs it, and put nothing else into it'
  expect(judge(`select 1;\n${index}`)).toEqual([`2 ${message}`])
  expect(judge(`-- Outside a transaction.\n${index}select 1;\n`)).toEqual([`2 ${message}`])
})

test('the loader of migrations knows the line for a migration without a transaction', () => {
  const loader = readFileSync(join(REAL_ROOT, 'packages/database/src/system/migrate.ts'), 'utf8')
  expect(loader).toContain("'-- Outside a transaction.'")
})

const MUST_NOT_CHANGE = 'is released and must not change: restore it and add a migration'

test.each([
  [{ [`${FOLDER}/0031_last.sql`]: 'select 32;' }, [`${FOLDER}/0031_last.sql ${MUST_NOT_CHANGE}`]],
  [{ [`${FOLDER}/0030_added.sql`]: 'select 30;' }, [`${FOLDER}/0030_added.sql ${MUST_NOT_CHANGE}`]],
  [
    { 'packages/database/released.json': '{ "migration": "0031_last", "sha256": { "0030_deleted": "" } }' },
    [
      `${FOLDER}/0031_last.sql ${MUST_NOT_CHANGE}`,
      'packages/database/released.json names 0030_deleted, which is missing',
    ],
  ],
  [
    { 'packages/database/released.json': '{ "migration": "0032_last", "sha256": {} }' },
    [`${FOLDER}/0031_last.sql ${MUST_NOT_CHANGE}`, 'packages/database/released.json names 0032_last, which is missing'],
  ],
])('rejects a change of the released migrations: %j', (files, faults) => {
  expect(listFaults(plant(RELEASED))).toEqual([])
  expect(listFaults(plant({ ...RELEASED, ...files })).map(({ path, message }) => `${path} ${message}`)).toEqual(faults)
})

test('before the first release the baseline may contain any statement, and a second migration is rejected', () => {
  const baseline = { [`${FOLDER}/0001_baseline.sql`]: 'drop table jobs;' }
  expect(listFaults(plant(baseline))).toEqual([])
  const faults = listFaults(plant({ ...baseline, [`${FOLDER}/0002_next.sql`]: 'select 1;' }))
  expect(faults.map(({ path, message }) => `${path} ${message}`)).toEqual([
    `${FOLDER}/0002_next.sql is not needed before the first release: edit packages/database/schema and write the baseline`,
  ])
})

test('a released migration may contain any statement', () => {
  const text = 'drop table jobs;'
  const released = { migration: '0001_baseline', sha256: { '0001_baseline': hash(text) } }
  const files = {
    'packages/database/released.json': JSON.stringify(released),
    [`${FOLDER}/0001_baseline.sql`]: text,
  }
  expect(listFaults(plant(files))).toEqual([])
})
