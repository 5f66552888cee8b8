import { globSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { PODMAN, SANDBOX_KEY } from './podman.ts'
import { read, run, tell } from './run.ts'
import { SOLO_IMAGE } from './solo.ts'

/** Run by solo.ts in a network without a way out: from an empty volume to a verdict, and again after a restart. */
const NAME = 'check-solo'
const VOLUME = 'check-solo-data'
const VERDICT_WITHIN_MS = 60_000
const LINK_WITHIN_MS = 20_000
const PSS_MB_MAX = 700
const API = 'http://127.0.0.1:3000'
const USER = { email: 'ada@example.com', password: 'a-long-enough-passphrase-for-a-check' }
const HEADERS = { origin: API, 'content-type': 'application/json', 'probity-app': '1' }

run('ip', ['link', 'set', 'lo', 'up'])
removeAll()
try {
  const firstVerdict = await startAndAsk()
  await setUp(await findSetupLink())
  const pss = measure()
  useAdmin()
  read('podman', [...PODMAN, 'stop', '--time', '30', NAME])
  const exit = read('podman', ['inspect', '--format', '{{.State.ExitCode}}', NAME])
  if (exit !== '0') throw new Error(`the container ended with ${exit}`)
  read('podman', [...PODMAN, 'rm', NAME])
  const restart = await startAndAsk()
  if (log().includes('Setup link:')) throw new Error('the user of the first run is missing after a restart')
  await signIn()
  process.stdout.write(
    `${JSON.stringify({ solo_first_verdict_s: firstVerdict, solo_restart_s: restart, solo_pss_mb: pss })}\n`,
  )
} catch (error) {
  run('podman', ['logs', '--tail', '60', NAME])
  throw error
} finally {
  removeAll()
}

function removeAll(): void {
  read('podman', [...PODMAN, 'rm', '--force', '--ignore', '--time', '5', '--volumes', NAME])
  read('podman', ['volume', 'rm', '--force', VOLUME])
}

/** The seconds from `podman run` to the first verdict. */
async function startAndAsk(): Promise<number> {
  tell(`starts ${NAME}`)
  const began = performance.now()
  const limits = ['--pull=never', '--network=host', '--ulimit', 'nofile=8192:8192', '--ulimit', 'nproc=4096:4096']
  read('podman', [...PODMAN, 'run', '--detach', '--name', NAME, ...limits, '--volume', `${VOLUME}:/data`, SOLO_IMAGE])
  while (performance.now() - began < VERDICT_WITHIN_MS) {
    const verdict = await ask().catch(() => undefined) // not listening yet
    if (verdict === 'mailbox_full') return Math.round((performance.now() - began) / 100) / 10
    await sleep(200)
  }
  throw new Error(`no verdict within ${VERDICT_WITHIN_MS / 1_000} s`)
}

async function ask(): Promise<string | undefined> {
  const response = await fetch(`${API}/api/v1/validation/single`, {
    method: 'POST',
    headers: { 'X-API-Key': SANDBOX_KEY, 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: 'mailbox-full@example.com' }),
  })
  return ((await response.json()) as { sub_status?: string }).sub_status
}

function log(): string {
  return read('sh', ['-c', `podman logs ${NAME} 2>&1`])
}

/** The link is printed after the API is ready, which may be after the first verdict. */
async function findSetupLink(): Promise<URL> {
  const deadline = Date.now() + LINK_WITHIN_MS
  while (Date.now() < deadline) {
    const [, link] = /^Setup link: (\S+)$/m.exec(log()) ?? []
    if (link !== undefined) return new URL(link)
    await sleep(200)
  }
  throw new Error('the log has no setup link')
}

async function setUp({ hash }: URL): Promise<void> {
  const body = { token: hash.replace('#token=', ''), name: 'Ada', organisation: 'Example', ...USER }
  await post('/app/api/setup', body)
}

/** An operator command, a backup in the volume, and the health check, which Podman runs on request only. */
function useAdmin(): void {
  const admin = (...command: string[]) => read('podman', [...PODMAN, 'exec', NAME, 'probity-admin', ...command])
  const { id } = JSON.parse(admin('account', 'create', '--name', 'Example', '--plan', 'payg', '--credits', '10')) as {
    id?: string
  }
  if (id === undefined) throw new Error('probity-admin has created no account')
  admin('backup', '/data/backups')
  read('podman', [...PODMAN, 'healthcheck', 'run', NAME])
}

async function signIn(): Promise<void> {
  await post('/app/api/auth/sign-in/email', USER)
}

async function post(path: string, body: object): Promise<void> {
  const response = await fetch(`${API}${path}`, { method: 'POST', headers: HEADERS, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`)
}

/** The proportional memory of all processes of the container in MB. None but the first may run as root. */
function measure(): number {
  const first = read('podman', ['inspect', '--format', '{{.State.Pid}}', NAME])
  const processes = [first, ...listChildren(first)].flatMap(readProcess)
  // The supervisor, PostgreSQL, Redis, the API, a worker and maintenance.
  if (processes.length < 6) throw new Error(`the container has ${processes.length} processes`)
  const asRoot = processes.filter(({ pid, isRoot }) => isRoot && pid !== first)
  if (asRoot.length > 0) throw new Error(`processes run as root: ${asRoot.map(({ command }) => command).join(', ')}`)
  const total = Math.round(processes.reduce((sum, { kilobytes }) => sum + kilobytes, 0) / 1_024)
  if (!(total < PSS_MB_MAX)) throw new Error(`the processes use ${total} MB, more than ${PSS_MB_MAX}`)
  return total
}

/** Empty if the process has ended, as workers of PostgreSQL do. */
function readProcess(pid: string) {
  try {
    const [status = '', command = '', memory = ''] = ['status', 'cmdline', 'smaps_rollup'].map((file) =>
      readFileSync(`/proc/${pid}/${file}`, 'utf8'),
    )
    const kilobytes = Number(/^Pss:\s+(\d+)/m.exec(memory)?.[1])
    return [{ pid, isRoot: /^Uid:\t0\t/m.test(status), command: command.replaceAll('\0', ' '), kilobytes }]
  } catch {
    return [] // it has ended
  }
}

function listChildren(pid: string): string[] {
  const files = globSync(`/proc/${pid}/task/*/children`)
  const children = files.flatMap((file) => readFileSync(file, 'utf8').split(' ').filter(Boolean))
  return children.flatMap((child) => [child, ...listChildren(child)])
}
