import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from '@probity/lab/services/postgres'
import { startRedis } from '@probity/lab/services/redis'
import { readComposeFile, type Service } from './compose-file.ts'
import { tagOf } from './image.ts'
import { ROOT } from './page.ts'
import { PODMAN, SANDBOX_KEY } from './podman.ts'
import { read, run, tell } from './run.ts'

const HEALTHY_WITHIN_MS = 90_000
const { services } = readComposeFile()

/** Run by image.ts in a network without egress: PostgreSQL and Redis of this machine, with our images. */
run('ip', ['link', 'set', 'lo', 'up'])
run('ip', ['address', 'add', '172.30.53.53/32', 'dev', 'lo'])
const folder = mkdtempSync(join(tmpdir(), 'probity-image-'))
run(join(ROOT, 'deploy/install.sh'), ['--no-checks', '--folder', folder])
const config = readFileSync(join(folder, 'secrets/redis_conf'), 'utf8')
const [postgres, redis] = await Promise.all([startPostgres(), startRedis({ config })])
const started: string[] = []
try {
  makeSecrets()
  const began = performance.now()
  runOnce('migrate')
  for (const name of ['resolver', 'api', 'worker', 'maintenance']) startService(name)
  for (const name of ['resolver', 'api', 'worker', 'maintenance']) await untilHealthy(name)
  const seconds = Math.round((performance.now() - began) / 100) / 10
  const verdicts = await askForVerdicts()
  for (const name of ['api', 'worker', 'maintenance']) refuseToWrite(name)
  admin(['backup', '/var/lib/probity/backups'])
  const exits = ['api', 'worker', 'maintenance'].map(stopService)
  if (exits.join() !== '0,0,0') throw new Error(`the processes ended with ${exits}`)
  process.stdout.write(`${JSON.stringify({ healthy_seconds: seconds, verdicts })}\n`)
} finally {
  for (const name of started) read('podman', [...PODMAN, 'rm', '--force', '--time', '1', '--volumes', name])
  for (const volume of ['uploads', 'backups']) read('podman', ['volume', 'rm', '--force', `check-${volume}`])
  await Promise.all([postgres.stop(), redis.stop()])
  rmSync(folder, { recursive: true, force: true })
}

/**
 * Those of the installation script; only the server addresses are overwritten. The roles are created by the script that the image runs.
 */
function makeSecrets(): void {
  const env = {
    PATH: '/usr/bin:/bin',
    SECRETS: join(folder, 'secrets'),
    PGHOST: '127.0.0.1',
    PGPORT: String(postgres.port),
  }
  run(join(ROOT, 'deploy/postgres/roles.sh'), [], { env })
  for (const name of [
    'database_url',
    'worker_database_url',
    'maintenance_database_url',
    'database_owner_url',
    'redis_url',
    'worker_redis_url',
    'maintenance_redis_url',
    'admin_redis_url',
  ]) {
    const path = join(folder, 'secrets', name)
    const here = readFileSync(path, 'utf8')
      .replace('@postgres/', `@127.0.0.1:${postgres.port}/`)
      .replace('@redis:6379', `@127.0.0.1:${redis.port}`)
    rmSync(path)
    writeFileSync(path, here, { mode: 0o444 })
  }
}

/** The options that Compose would pass to the engine, except networks, of which there is one here. */
function flagsOf(service: Service): string[] {
  const bind = (volume: string) => volume.replace(/^\.\//, `${folder}/`).replace(/^([a-z]+):/, 'check-$1:')
  return [
    ...['--pull=never', '--network=host', '--ulimit', 'nofile=8192:8192', '--ulimit', 'nproc=4096:4096'],
    ...(service.user ? ['--user', service.user] : []),
    ...(service.read_only ? ['--read-only', '--read-only-tmpfs=false'] : []),
    ...(service.cap_drop ?? []).flatMap((right) => ['--cap-drop', right]),
    ...(service.security_opt ?? []).flatMap((option) => ['--security-opt', option.replace(':true', '')]),
    ...(service.tmpfs ?? []).flatMap((mount) => ['--tmpfs', mount]),
    ...(service.mem_limit ? ['--memory', service.mem_limit] : []),
    ...(service.pids_limit ? ['--pids-limit', String(service.pids_limit)] : []),
    ...Object.entries(service.environment ?? {}).flatMap(([name, value]) => ['--env', `${name}=${withDefault(value)}`]),
    ...(service.volumes ?? []).flatMap((volume) => ['--volume', bind(volume)]),
    ...(service.secrets ?? []).flatMap((name) => ['--volume', `${folder}/secrets/${name}:/run/secrets/${name}:ro`]),
    ...(service.entrypoint ? ['--entrypoint', JSON.stringify(service.entrypoint)] : []),
    tagOf(service.image),
  ]
}

/** Compose's `${NAME:-default}` with the default, as for an operator without settings. */
function withDefault(value: string): string {
  return value.replace(/\$\{[A-Z_]+:-([^}]*)\}/g, '$1')
}

function serviceOf(name: string): Service {
  const service = services[name]
  if (!service) throw new Error(`compose.yaml has no service ${name}`)
  return service
}

function runOnce(name: string): void {
  tell(name)
  const command = serviceOf(name).command ?? []
  run('podman', [...PODMAN, 'run', '--rm', ...flagsOf(serviceOf(name)), ...command])
}

function startService(name: string): void {
  tell(`starts ${name}`)
  started.push(`check-${name}`)
  const command = serviceOf(name).command ?? []
  read('podman', [...PODMAN, 'run', '--detach', '--name', `check-${name}`, ...flagsOf(serviceOf(name)), ...command])
}

/** Uses the health check of compose.yaml, in the container, until it passes. */
async function untilHealthy(name: string): Promise<void> {
  const [, ...test] = serviceOf(name).healthcheck?.test ?? []
  const deadline = Date.now() + HEALTHY_WITHIN_MS
  let last: unknown
  while (Date.now() < deadline) {
    try {
      read('podman', [...PODMAN, 'exec', `check-${name}`, ...test])
      return
    } catch (error) {
      last = error // not yet healthy
      await sleep(500)
    }
  }
  run('podman', ['logs', `check-${name}`])
  throw new Error(`${name} did not become healthy`, { cause: last })
}

/** In test mode, which the API handles by itself, and with a key of an account, which needs a worker. */
async function askForVerdicts(): Promise<string[]> {
  const account = admin(['account', 'create', '--name', 'Example', '--plan', 'payg', '--credits', '10'])
  const key = admin(['key', 'create', '--account', account['id'] ?? '', '--name', 'First', '--mode', 'live'])
  const verdicts = [await ask(SANDBOX_KEY, 'mailbox-full@example.com'), await ask(key['key'] ?? '', 'ada@example,com')]
  if (verdicts.join() !== 'mailbox_full,syntax_error') throw new Error(`other verdicts than promised: ${verdicts}`)
  for (const page of ['/app/', '/docs/']) {
    const { status } = await fetch(`http://127.0.0.1:3000${page}`)
    if (status !== 200) throw new Error(`${page} is answered with ${status}`)
  }
  return verdicts
}

async function ask(key: string, email: string): Promise<string> {
  const answer = await fetch('http://127.0.0.1:3000/api/v1/validation/single', {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ email }),
  })
  const { sub_status } = (await answer.json()) as { sub_status?: string }
  return sub_status ?? `${answer.status}`
}

function admin(command: string[]): Record<string, string> {
  return JSON.parse(read('podman', [...PODMAN, 'run', '--rm', ...flagsOf(serviceOf('admin')), ...command]))
}

/** No process runs as root, and only volumes and /tmp are writable. */
function refuseToWrite(name: string): void {
  const program = `
    const tried = ['/opt/probity/x', '/etc/x', '/var/x'].map((path) => {
      try { fs.writeFileSync(path, ''); return 'written' } catch (error) { return error.code }
    })
    fs.writeFileSync('/tmp/x', '')
    fs.writeFileSync(process.env.PROBITY_UPLOADS_FOLDER + '/x', '')
    fs.unlinkSync(process.env.PROBITY_UPLOADS_FOLDER + '/x')
    const [, rights] = /CapBnd:\\s*(\\w+)/.exec(fs.readFileSync('/proc/1/status', 'utf8'))
    console.log([process.getuid(), ...tried, Number('0x' + rights)].join())`
  const said = read('podman', [...PODMAN, 'exec', `check-${name}`, 'node', '-e', program])
  if (said !== '10001,EROFS,EROFS,EROFS,0') throw new Error(`${name} has more rights than it may: ${said}`)
}

function stopService(name: string): string {
  read('podman', [...PODMAN, 'stop', '--time', '30', `check-${name}`])
  return read('podman', ['inspect', '--format', '{{.State.ExitCode}}', `check-${name}`])
}
