import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { freePort, makeFolder, makeSubfolder, removeFolder, startDaemon, unprivilegedUser } from './daemon.ts'

export type PostgresServer = {
  url: string
  port: number
  logFile: string
  dataFolder: string
  /** The process id of the running server; it changes with a restart. */
  pid(): number
  /** Kills the server (SIGKILL), as a power cut would, and keeps its data. */
  crash(): Promise<void>
  /** Shuts the server down cleanly and keeps its data. */
  halt(): Promise<void>
  /** Starts the server again on the same port and data. */
  restart(): Promise<void>
  /** Runs one statement as the superuser, outside of a transaction. */
  query(statement: string): Promise<object[]>
  /** Whether new transactions are read-only. Open sessions notice it soon. */
  setReadOnly(value: 'on' | 'off'): Promise<void>
  stop(): Promise<void>
}

type PostgresOptions = {
  /** Whether a commit waits for the disk. Off makes tests fast; measurements of billing use on. */
  fsync?: boolean
  /**
   * The parent of the data folder, for example on a disk to measure. In memory by default when no commit waits for a
   * disk.
   */
  parent?: string
  /**
   * The data folder of a server that was shut down. The server starts with a copy of it instead of an empty cluster.
   */
  copyOf?: string
  /** The server starts as a hot standby of this one: it follows it, and is read-only until it is promoted. */
  standbyOf?: PostgresServer
}

const MEMORY = '/dev/shm'
/** Twice the space that the databases of a full test run take. */
const ROOM_BYTES_MIN = 4_000_000_000

/** A private PostgreSQL on loopback with its data in a temporary folder. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const user = unprivilegedUser()
  const parent = options.parent ?? (options.fsync ? tmpdir() : quickestFolder())
  const folder = makeFolder('probity-postgres', user, parent)
  const data = makeSubfolder(folder, 'data', user)
  const bin = postgresPrograms()
  const logFile = join(folder, 'postgres.log')
  fillDataFolder(data, options)

  const port = await freePort()
  const command = [join(bin, 'postgres'), '-D', data, '-p', String(port), '-k', folder, ...settings(options)]
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const start = async () => {
    const daemon = await startDaemon(command, port, { logFile, user })
    await takesQueries(url)
    return daemon
  }
  let daemon = await start()
  const query = (statement: string) => queryServer(url, statement)
  return {
    url,
    port,
    pid: () => daemon.pid,
    logFile,
    dataFolder: data,
    halt: () => daemon.stop('SIGINT'), // the "fast" shutdown: sessions are terminated, not awaited
    crash: () => daemon.stop('SIGQUIT'),
    restart: async () => {
      daemon = await start()
    },
    query,
    async setReadOnly(value) {
      await query(`alter system set default_transaction_read_only = ${value}`)
      await query('select pg_reload_conf()')
    },
    stop: async () => {
      await daemon.stop('SIGINT')
      removeFolder(folder)
    },
  }
}

function fillDataFolder(data: string, { copyOf, standbyOf }: PostgresOptions): void {
  const run = (program: string, flags: string[]) =>
    execFileSync(join(postgresPrograms(), program), flags, { stdio: 'ignore', ...unprivilegedUser() })
  if (copyOf) execFileSync('cp', ['--archive', '--no-target-directory', copyOf, data])
  else if (standbyOf) run('pg_basebackup', ['-D', data, '-d', standbyOf.url, '-R', '-c', 'fast', '--no-sync'])
  else run('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'])
}

/**
 * Each of our databases has two thousand files. On a disk, creating and deleting them takes longer than all other work
 * of PostgreSQL.
 */
function quickestFolder(): string {
  if (!existsSync(MEMORY)) return tmpdir()
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize >= ROOM_BYTES_MIN ? MEMORY : tmpdir()
}

async function queryServer(url: string, statement: string): Promise<object[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<object>(statement)).rows
  } finally {
    await client.end()
  }
}

/** The port opens shortly before the server has finished its startup or its crash recovery. */
async function takesQueries(url: string): Promise<void> {
  for (let tries = 200; ; tries--) {
    try {
      await queryServer(url, 'select 1')
      return
    } catch (error) {
      if (tries === 0) throw error
      await sleep(50)
    }
  }
}

function settings({ fsync = false }: PostgresOptions): string[] {
  const values = {
    listen_addresses: '127.0.0.1',
    max_connections: 200,
    shared_buffers: '256MB',
    fsync: fsync ? 'on' : 'off',
    synchronous_commit: fsync ? 'on' : 'off',
    full_page_writes: fsync ? 'on' : 'off',
  }
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/** Debian installs the server programs outside PATH, one folder per major version. */
export function postgresPrograms(): string {
  const home = '/usr/lib/postgresql'
  const versions = existsSync(home) ? readdirSync(home).toSorted((a, b) => Number(b) - Number(a)) : []
  const bin = versions.map((version) => join(home, version, 'bin')).find((path) => existsSync(join(path, 'initdb')))
  if (bin) return bin
  return join(execFileSync('pg_config', ['--bindir'], { encoding: 'utf8' }).trim())
}
