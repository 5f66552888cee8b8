import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort, startDaemon } from '../services/daemon.ts'

const run = promisify(execFile)

type Upstreams = {
  /** The port of the authoritative server for all zones. */
  authority: number
  /** Zones with another authoritative port. */
  elsewhere: Record<string, number>
  /** Zones for which Unbound itself returns REFUSED. */
  refused: string[]
  /** The file with the trust anchor of the root zone; without it no response is validated. */
  trustAnchor?: string | undefined
}

/** Debian's Unbound, the resolver of a worker. It only knows the configured servers, so no query leaves loopback. */
export async function startUnbound(folder: string, upstreams: Upstreams) {
  const port = await freePort()
  const config = join(folder, 'unbound.conf')
  writeFileSync(config, settings(folder, port, upstreams))

  const daemon = await startDaemon(['unbound', '-d', '-c', config], port, { logFile: join(folder, 'unbound.log') })
  const control = async (...command: string[]) => (await run('unbound-control', ['-c', config, ...command])).stdout
  return {
    port,
    stop: () => daemon.stop(),
    forget: () => control('flush_zone', '.'),
    /** Queries from clients so far, over UDP and TCP. */
    countQuestions: async () => Number(/^total\.num\.queries=(\d+)$/m.exec(await control('stats_noreset'))?.[1] ?? 0),
  }
}

/** The lab has a single root zone. Workers check their resolver with the SOA record of org, which an unsigned lab has here. */
const ORG = `
  local-zone: "org." typetransparent
  local-data: "org. 60 IN SOA ns.lab.example. hostmaster.lab.example. 1 3600 600 86400 60"`

/**
 * No validator when the lab's root is unsigned; responses are not filtered, because tests cover private addresses. As
 * with NSD, without a user to change to it keeps running as the current user.
 */
function settings(folder: string, port: number, { authority, elsewhere, refused, trustAnchor }: Upstreams): string {
  const forwards = Object.entries(elsewhere).map(
    ([zone, at]) => `forward-zone:\n  name: "${zone}."\n  forward-addr: 127.0.0.1@${at}`,
  )
  return `
server:
  interface: 127.0.0.1
  port: ${port}
  username: ""
  chroot: ""
  directory: "${folder}"
  pidfile: "${folder}/unbound.pid"
  use-syslog: no
  do-daemonize: no
  do-ip6: no
  num-threads: 1
  ${trustAnchor === undefined ? 'module-config: "iterator"' : `module-config: "validator iterator"\n  trust-anchor-file: "${trustAnchor}"`}
  do-not-query-localhost: no
  qname-minimisation: no
  target-fetch-policy: "0 0 0 0 0"
  statistics-cumulative: yes
  incoming-num-tcp: 200
  local-zone: "test." nodefault
  local-zone: "invalid." nodefault
${trustAnchor === undefined ? ORG : ''}
${refused.map((zone) => `  local-zone: "${zone}." refuse`).join('\n')}
remote-control:
  control-enable: yes
  control-interface: "${folder}/unbound.ctl"
  control-use-cert: no
stub-zone:
  name: "."
  stub-addr: 127.0.0.1@${authority}
${forwards.join('\n')}
`
}
