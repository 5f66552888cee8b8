import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, makeFolder, removeFolder, startDaemon, unprivilegedUser } from './daemon.ts'

/** Debian's PgBouncer in transaction mode in front of one PostgreSQL, as an installation with many processes has it. */
export async function startPgbouncer(postgresPort: number, serverConnections: number) {
  const user = unprivilegedUser()
  const folder = makeFolder('probity-pgbouncer', user)
  const port = await freePort()
  const config = join(folder, 'pgbouncer.ini')
  writeFileSync(join(folder, 'users.txt'), '"postgres" ""\n')
  writeFileSync(config, settings(folder, { postgresPort, port, serverConnections }))

  const daemon = await startDaemon(['pgbouncer', config], port, { logFile: join(folder, 'pgbouncer.log'), user })
  return {
    port,
    stop: async () => {
      await daemon.stop('SIGINT')
      removeFolder(folder)
    },
  }
}

type Ports = { postgresPort: number; port: number; serverConnections: number }

function settings(folder: string, { postgresPort, port, serverConnections }: Ports): string {
  return `
[databases]
* = host=127.0.0.1 port=${postgresPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users.txt')}
pool_mode = transaction
max_client_conn = 500
default_pool_size = ${serverConnections}
`
}
