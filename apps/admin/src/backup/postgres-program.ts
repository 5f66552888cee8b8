import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { Refusal } from '../refusal.ts'

export type Environment = Record<string, string | undefined>

/** The database, and the environment in which its programs are found. */
export type Server = { url: string; env: Environment }

/** Runs a program of PostgreSQL's on a database. The password goes by the environment: arguments can be read by every user of the machine. */
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
      ? new Refusal(`${program} is not there. It comes with the client programs of PostgreSQL.`)
      : error
  })
  if (code !== 0) throw new Refusal(`${program} failed: ${(await complaints).trim()}`)
}

/** What libpq reads instead of a URL. Settings in its query, as sslmode, are called the same there. */
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
