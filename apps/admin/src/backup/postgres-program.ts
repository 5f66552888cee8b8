import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { Refusal } from '../refusal.ts'

export type Environment = Record<string, string | undefined>

/** The database, and the environment to find its programs in. */
export type Server = { url: string; env: Environment }

/** Runs a PostgreSQL program. The password is passed in the environment, because every local user can read arguments. */
export async function runPostgresProgram(
  program: 'pg_dump' | 'pg_restore',
  { url, env }: Server,
  args: string[],
): Promise<void> {
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...env, ...connectionVariables(url) },
  })
  const complaints = text(child.stderr)
  const [code] = await once(child, 'exit').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT'
      ? new Refusal(`${program} is not installed. It is part of the PostgreSQL client programs.`)
      : error
  })
  if (code !== 0) throw new Refusal(`${program} failed: ${(await complaints).trim()}`)
}

/** The libpq environment variables of a URL, including query parameters such as sslmode. */
export function connectionVariables(url: string): Record<string, string> {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url)
  const parts = {
    PGHOST: searchParams.get('host') ?? decodeURIComponent(hostname.replace(/^\[(.*)\]$/, '$1')),
    PGPORT: port,
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: decodeURIComponent(pathname.slice(1)),
    PGSSLMODE: searchParams.get('sslmode') ?? '',
    PGSSLROOTCERT: searchParams.get('sslrootcert') ?? '',
  }
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== ''))
}
