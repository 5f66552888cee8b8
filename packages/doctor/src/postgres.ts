import type { Finding } from '@probity/contract/constants/operators'
import { listMissingMigrations } from '@probity/database/system/schema-version'
import { readServerSettings } from '@probity/database/system/server-settings'
import { fail, guard, pass, warn } from './finding.ts'
import type { Patient } from './patient.ts'

const VERSION_MIN = 15

type Settings = Record<string, string>

/** Checks the PostgreSQL configuration and the schema version. */
export async function examinePostgres({ db }: Pick<Patient, 'db'>): Promise<Finding[]> {
  const found = await Promise.all([
    guard(['postgres-version', 'postgres-durability', 'postgres-log'], async () => {
      const settings = await readServerSettings(db)
      return [judgeVersion(settings), judgeDurability(settings), judgeLog(settings)]
    }),
    guard(['migrations'], async () => [judgeMigrations(await listMissingMigrations(db))]),
  ])
  return found.flat()
}

function judgeVersion({ server_version = '' }: Settings): Finding {
  const saw = `PostgreSQL ${server_version}.`
  if (Number.parseInt(server_version, 10) >= VERSION_MIN) return pass('postgres-version', { saw })
  const says = `Create a backup, then upgrade to version ${VERSION_MIN} or later.`
  return fail('postgres-version', { saw, says, lines: ['pnpm admin backup /var/backups/probity'] })
}

/** The settings that make a commit survive a power failure. */
const DURABLE = ['fsync', 'full_page_writes', 'synchronous_commit'] as const

function judgeDurability(settings: Settings): Finding {
  const off = DURABLE.filter((name) => settings[name] === 'off')
  const saw = `${DURABLE.map((name) => `${name} is ${settings[name] ?? 'not shown'}`).join(', ')}.`
  if (off.length === 0) return pass('postgres-durability', { saw })
  const lines = [...off.map((name) => `alter system set ${name} = on;`), 'select pg_reload_conf();']
  return fail('postgres-durability', { saw, says: 'Run in psql as a superuser:', lines })
}

/** Statement parameters contain addresses, and so does the detail of a unique-violation error. */
function judgeLog(settings: Settings): Finding {
  const isLogged = settings['log_statement'] !== 'none' || Number(settings['log_min_duration_statement']) >= 0
  const wanted = {
    ...(isLogged && settings['log_parameter_max_length'] !== '0' && { log_parameter_max_length: '0' }),
    ...(settings['log_parameter_max_length_on_error'] !== '0' && { log_parameter_max_length_on_error: '0' }),
    ...(settings['log_error_verbosity'] !== 'terse' && { log_error_verbosity: 'terse' }),
  }
  const names = Object.keys(wanted)
  if (names.length === 0) return pass('postgres-log', { saw: 'Statement parameters and error details are not logged.' })
  const saw = `${names.map((name) => `${name} is ${settings[name] ?? 'not shown'}`).join(', ')}.`
  const lines = Object.entries(wanted).map(([name, value]) => `alter system set ${name} = ${value};`)
  return warn('postgres-log', {
    saw,
    says: 'Run in psql as a superuser:',
    lines: [...lines, 'select pg_reload_conf();'],
  })
}

function judgeMigrations(missing: string[]): Finding {
  if (missing.length === 0) return pass('migrations', { saw: 'All migrations are applied.' })
  const says = 'Apply them before starting processes of this version.'
  return fail('migrations', { saw: `Not applied: ${missing.join(', ')}.`, says, lines: ['pnpm admin migrate'] })
}
