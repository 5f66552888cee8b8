import { hostname, userInfo } from 'node:os'
import { actAs } from '@probity/database/connection/actor'
import { connect, type Db, type ProgramRole } from '@probity/database/connection/connect'
import { isOutage, isReadOnly } from '@probity/database/connection/outage'
import type { AdminConfig } from './config.ts'

/** Runs one command with the owner's database and prints its result as JSON. */
export async function withDatabase(
  config: AdminConfig,
  work: (db: Db) => Promise<unknown>,
  programRole: ProgramRole = 'probity_app',
): Promise<void> {
  const db = connect(config.ownerUrl, { connectionsMax: 1, applicationName: 'probity-admin', programRole })
  try {
    const result = await actAs({ kind: 'command', name: userInfo().username, ip: hostname() }, () => work(db))
    process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
  } catch (error) {
    throw explain(error)
  } finally {
    await db.destroy()
  }
}

const UNDEFINED_TABLE = '42P01'
const INVALID_TEXT = '22P02'
const CHECK_VIOLATION = '23514'

const NOT_AN_ID = 'Invalid id. Ids look like 0198e4a7-20d9-7b58-a3c6-95f1e80b4d72.'
const BOUNDS: Record<string, string> = {
  accounts_name_check: 'Account names must have 1 to 200 characters.',
  api_keys_name_check: 'Key names must have 1 to 100 characters.',
  prices_id_check: 'Stripe price ids start with price_.',
  prices_credits_check: 'A price must grant 0 to 1,000,000,000 credits.',
  prices_gives_something: 'A price must grant credits, a plan, or both.',
  ledger_note_check: 'Notes must have at most 200 characters.',
}

/** Explains known database errors in one line; other errors are returned unchanged. */
export function explain(error: unknown): unknown {
  const { code, constraint } = readFault(error)
  if (code === UNDEFINED_TABLE) return new UserError('The database has no tables. Run "probity-admin migrate" first.')
  if (code === INVALID_TEXT) return new UserError(NOT_AN_ID)
  const bound = code === CHECK_VIOLATION ? BOUNDS[constraint ?? ''] : undefined
  return bound === undefined ? explainNoEntry(error) : new UserError(bound)
}

/** Unknown database, unknown role, wrong password. */
const NO_ENTRY = ['3D000', '28000', '28P01']

/** Explains in one line why the database cannot be used; other errors are returned unchanged. */
export function explainNoEntry(error: unknown): unknown {
  if (isReadOnly(error)) return new UserError('The PostgreSQL server at PROBITY_DATABASE_URL is read-only.')
  if (isOutage(error)) return new UserError('PostgreSQL cannot be reached at PROBITY_DATABASE_URL.')
  const { code = '', message } = readFault(error)
  return NO_ENTRY.includes(code) ? new UserError(`PostgreSQL rejected PROBITY_DATABASE_URL: ${message}.`) : error
}

function readFault(error: unknown): { code?: string; constraint?: string; message?: string } {
  return error instanceof Error ? error : {}
}

/** A usage error: shown as one line, without a stack trace. */
export class UserError extends Error {}
