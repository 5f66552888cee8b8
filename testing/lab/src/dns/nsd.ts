import { execFile } from 'node:child_process'
import { Resolver } from 'node:dns/promises'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort, startDaemon } from '../services/daemon.ts'
import type { Signer } from './signer.ts'
import { type Names, writeZone } from './zone-file.ts'

const run = promisify(execFile)

const READS_WITHIN_MS = 10_000
const RELOAD_AGAIN_MS = 1_000

/**
 * Debian's NSD, the authoritative server for all lab domains. A zone in `lame` is configured but has no file: NSD
 * replies SERVFAIL to its queries, as a secondary does that has lost its primary.
 */
export async function startNsd(folder: string, names: Names, lame: string[], signer?: Signer) {
  const port = await freePort()
  const config = join(folder, 'nsd.conf')
  const zoneFile = join(folder, 'root.zone')
  let serial = 1
  const write = async (all: Names) => {
    writeFileSync(zoneFile, writeZone(all, serial))
    await signer?.sign(zoneFile)
  }
  await write(names)
  writeFileSync(config, settings(folder, port, lame, signer ? 'root.zone.signed' : 'root.zone'))

  const daemon = await startDaemon(['nsd', '-d', '-c', config], port, { logFile: join(folder, 'nsd.log') })
  await servesSerial(port, serial)
  const control = async (command: string) => (await run('nsd-control', ['-c', config, command])).stdout
  return {
    port,
    stop: () => daemon.stop(),
    /** Queries received so far. */
    countQuestions: async () => Number(/^num\.queries=(\d+)$/m.exec(await control('stats_noreset'))?.[1] ?? 0),
    /** Replaces all names. */
    async serve(other: Names) {
      serial += 1
      await write(other)
      await servesSerial(port, serial, () => control('reload'))
    },
  }
}

/**
 * NSD opens its port before it has read its zones, and replies "ok" to a reload before the new process takes over. A
 * reload during another reload may be lost, and so may a query during the change of processes: both are repeated.
 */
async function servesSerial(port: number, serial: number, reload?: () => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + READS_WITHIN_MS
  let reloadAt = 0
  do {
    if (Date.now() > deadline) throw new Error(`NSD did not serve serial ${serial} in time`)
    if (Date.now() >= reloadAt) {
      await reload?.()
      reloadAt = Date.now() + RELOAD_AGAIN_MS
    }
    await sleep(10)
  } while ((await findSerial(port)) !== serial)
}

async function findSerial(port: number): Promise<number | undefined> {
  const resolver = new Resolver({ timeout: 500, tries: 1 })
  resolver.setServers([`127.0.0.1:${port}`])
  try {
    return (await resolver.resolveSoa('.')).serial
  } catch {
    return undefined // not ready yet
  }
}

/** Without a user to change to, NSD keeps running as the current user, root or not. */
function settings(folder: string, port: number, lame: string[], zoneFile: string): string {
  const zones = lame.map((name) => `zone:\n  name: "${name}"\n  zonefile: "none"`)
  return `
server:
  ip-address: 127.0.0.1@${port}
  server-count: 1
  username: ""
  chroot: ""
  zonesdir: "${folder}"
  database: ""
  pidfile: "${folder}/nsd.pid"
  zonelistfile: "${folder}/nsd.list"
  xfrdfile: "${folder}/nsd.xfrd"
  xfrdir: "${folder}"
  tcp-count: 200
  rrl-ratelimit: 0
remote-control:
  control-enable: yes
  control-interface: "${folder}/nsd.ctl"
zone:
  name: "."
  zonefile: "${zoneFile}"
${zones.join('\n')}
`
}
