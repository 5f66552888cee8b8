import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MIGRATIONS_FOLDER } from './schema-version.ts'

const PACKAGE_FOLDER = fileURLToPath(new URL('../..', import.meta.url))
const BASELINE = join(MIGRATIONS_FOLDER, '0001_baseline.sql')
/** Created by the first release. From then on the baseline is fixed, and a change of the schema adds a migration. */
const RELEASED = join(PACKAGE_FOLDER, 'released.json')

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

const HEAD = '-- Generated from packages/database/schema by `pnpm admin schema --write`. Edit the files there.\n'

export async function composeBaseline(): Promise<string> {
  const files = await Promise.all(
    SUBJECTS.map((subject) => readFile(join(PACKAGE_FOLDER, 'schema', `${subject}.sql`), 'utf8')),
  )
  return [HEAD, ...files].join('\n')
}

export async function isBaselineCurrent(): Promise<boolean> {
  const [wanted, written] = await Promise.all([composeBaseline(), readFile(BASELINE, 'utf8')])
  return wanted === written
}

export function isBaselineReleased(): boolean {
  return existsSync(RELEASED)
}

export async function writeBaseline(): Promise<void> {
  await writeFile(BASELINE, await composeBaseline())
}
