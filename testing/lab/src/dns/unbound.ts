import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort, startDaemon } from '../services/daemon.ts'

const run = promisify(execFile)

type Upstreams = {
  /** The port of the authority for everything. */
  authority: number
  /** Zones that are asked at another port. */
  elsewhere: Record<string, number>
  /** Zones that Unbound itself refuses to talk about. */
  refused: string[]
  /** The file with the key that the root zone is signed by; without it nothing is validated. */
  trustAnchor?: string | undefined
}

/** Debian's Unbound, the resolver that a worker asks. It knows no server but those it is given, so nothing leaves loopback. */
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
    /** How many questions clients have put to it so far, over UDP and TCP. */
    countQuestions: async () => Number(/^total\.num\.queries=(\d+)$/m.exec(await control('stats_noreset'))?.[1] ?? 0),
  }
}

/**
 * No validator where the lab's root is not signed; nothing is filtered from answers, because private addresses in them are
 * cases we test. As with NSD, no user to change to means that it stays who we are.
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
