import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, makeFolder, removeFolder, startDaemon } from './daemon.ts'

/**
 * Debian's HAProxy in front of several api processes, configured as an operator would, but without retries: the client
 * sees every failure of a process.
 */
export async function startHaproxy(backendPorts: number[]) {
  const folder = makeFolder('probity-haproxy')
  const port = await freePort()
  const config = join(folder, 'haproxy.cfg')
  writeFileSync(config, settings(port, backendPorts))
  const daemon = await startDaemon(['haproxy', '-db', '-f', config], port, { logFile: join(folder, 'haproxy.log') })
  return {
    url: `http://127.0.0.1:${port}`,
    /** Number of processes that currently receive requests. */
    countServersUp: async () => {
      const table = await (await fetch(`http://127.0.0.1:${port}/haproxy;csv`)).text()
      return table.split('\n').filter((row) => row.startsWith('api,api') && row.includes(',UP,')).length
    },
    stop: async () => {
      await daemon.stop()
      removeFolder(folder)
    },
  }
}

function settings(port: number, backendPorts: number[]): string {
  const servers = backendPorts.map((backend, n) => `  server api${n} 127.0.0.1:${backend}`)
  return `
defaults
  mode http
  retries 0
  timeout connect 2s
  timeout client 40s
  timeout server 40s
  timeout check 2s
frontend door
  bind 127.0.0.1:${port}
  stats enable
  stats uri /haproxy
  default_backend api
backend api
  option httpchk GET /readyz
  default-server check inter 200ms fall 2 rise 1
${servers.join('\n')}
`
}
