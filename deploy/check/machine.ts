import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { end, start } from './run.ts'

const BOOTS_WITHIN_MS = 60_000
const HALTS_WITHIN_MS = 60_000

export type Machine = {
  /** Runs commands in one shell of the machine, which ends at the first failure; returns their output. */
  type(commands: string, options: { folder: string; env: Record<string, string> }): Promise<string>
  halt(): Promise<void>
}

/**
 * Boots a root file system with its own init, in separate namespaces: its systemd is process 1, and its network has
 * only loopback.
 */
export async function boot(root: string): Promise<Machine> {
  const flags = ['--boot', '--register=no', '--keep-unit', '--private-network', '--console=passive', '--quiet']
  const container = start('systemd-nspawn', [`--directory=${root}`, '--machine=probity-check', ...flags])
  try {
    const leader = await findInit(container.pid ?? 0)
    return {
      type: (commands, options) => typeInto(leader, commands, options),
      // SIGTERM is passed on as the signal by which systemd powers off.
      halt: () => end(container, 'SIGTERM', HALTS_WITHIN_MS),
    }
  } catch (error) {
    await end(container, 'SIGKILL', HALTS_WITHIN_MS)
    throw error
  }
}

/** Process 1 of a container: the first child of the process that started it, once its systemd responds. */
async function findInit(container: number): Promise<string> {
  const deadline = Date.now() + BOOTS_WITHIN_MS
  while (Date.now() < deadline) {
    const [leader] = readFileSync(`/proc/${container}/task/${container}/children`, 'utf8').split(' ')
    if (leader && (await isUp(leader))) return leader
    await sleep(100)
  }
  throw new Error('the machine did not come up')
}

/** "degraded" counts as running: some units of Debian have no use in a container and fail there. */
async function isUp(leader: string): Promise<boolean> {
  const asked = spawn('nsenter', [...INTO, '--target', leader, 'systemctl', 'is-system-running'])
  let said = ''
  asked.stdout.on('data', (part) => (said += part))
  await once(asked, 'close')
  return ['running', 'degraded'].includes(said.trim())
}

const INTO = ['--mount', '--uts', '--ipc', '--net', '--pid', '--cgroup', '--root', '--wd']

async function typeInto(
  leader: string,
  commands: string,
  { folder, env }: { folder: string; env: Record<string, string> },
): Promise<string> {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const shell = ['env', '-i', ...variables, 'bash', '-eu', '-s']
  const child = spawn('nsenter', [...INTO, '--target', leader, ...shell], { stdio: ['pipe', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', (part: Buffer) => {
    process.stderr.write(part)
    said += part
  })
  child.stdin.end(`cd ${folder}\n${commands}\n`)
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`the commands ended with ${code}`)
  return said
}
