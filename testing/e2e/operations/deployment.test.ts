import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, globSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { startPostgres } from '@probity/lab/services/postgres'
import { startRedis } from '@probity/lab/services/redis'
import { whenDone } from '@probity/lab/when-done'
import { expect, test } from 'vitest'
import { readBlocks } from '../docs/pages.ts'
import { startApiProcess, startMaintenanceProcess, startWorkerProcess } from '../environment/processes.ts'
import { ROOT } from '../environment/programs.ts'

const DEPLOY = join(ROOT, 'deploy')
const UNITS = globSync('systemd/*.service', { cwd: DEPLOY })
const SCRIPTS = [
  'install.sh',
  'install-debian.sh',
  'systemd/probity-admin',
  '../bin/probity-admin',
  'postgres/roles.sh',
  'release/first-verdict.sh',
]

function makeTestFolder(): string {
  const folder = makeFolder('probity-deployment')
  whenDone(() => removeFolder(folder))
  return folder
}

const install = (...args: string[]) => spawnSync(join(DEPLOY, 'install.sh'), args, { encoding: 'utf8' })

/** Every file below a folder with its contents. */
function contentsOf(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const files = paths.filter((path) => statSync(join(folder, path)).isFile())
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
}

test('shellcheck finds no fault in the scripts', () => {
  const { stdout, status } = spawnSync('shellcheck', ['--external-sources', ...SCRIPTS], {
    cwd: DEPLOY,
    encoding: 'utf8',
  })
  expect([status, stdout]).toEqual([0, ''])
})

test('install-debian.sh prints its plan in a dry run and changes nothing', () => {
  const script = join(DEPLOY, 'install-debian.sh')
  const { stdout, status } = spawnSync(script, ['--dry-run'], { encoding: 'utf8', env: { PATH: '/usr/bin:/bin' } })
  expect([status, stdout]).toEqual([0, expect.stringContaining('install Probity in /opt/probity')])
  expect(spawnSync(script, ['--url', 'https://a|b'], { encoding: 'utf8' }).status).toBe(1)
})

test('the units of the API, the worker and maintenance have different database logins, and the worker a user of its own', () => {
  const [api, worker, maintenance] = ['api', 'worker', 'maintenance'].map((name) =>
    readFileSync(join(DEPLOY, `systemd/probity-${name}.service`), 'utf8'),
  ) as [string, string, string]
  const settingOf = (unit: string, name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1]
  expect([settingOf(api, 'User'), settingOf(worker, 'User')]).toEqual(['probity', 'probity-worker'])
  expect(worker).toContain('LoadCredential=database_url:/etc/probity/secrets/worker_database_url\n')
  expect(worker).not.toMatch(/secrets\/database_url|StateDirectory/)
  expect(settingOf(api, 'StateDirectoryMode')).toBe('0750')
  expect(maintenance).toContain('LoadCredential=database_url:/etc/probity/secrets/maintenance_database_url\n')
  expect(maintenance).toContain('Environment=PROBITY_WORKER_TASKS=maintenance,notifications\n')
})

test('install-debian.sh creates the users of Redis unless another Redis is named', async () => {
  const [etc, bin] = [makeTestFolder(), makeTestFolder()]
  for (const name of ['chown', 'systemctl']) writeFileSync(join(bin, name), '#!/bin/sh\n', { mode: 0o755 })
  writeFileSync(join(etc, 'redis.conf'), 'port 6379\n')
  // Only the functions of the script, with other folders.
  const script = readFileSync(join(DEPLOY, 'install-debian.sh'), 'utf8')
  const [protectRedis] = /^protect_redis\(\) \{\n[\s\S]*?^\}$/m.exec(script) ?? []
  const names = {
    admin_redis_url: '',
    redis_url: 'probity_api',
    worker_redis_url: 'probity_worker',
    maintenance_redis_url: 'x',
  }
  const run = (server: string) => {
    for (const [file, user] of Object.entries(names)) {
      writeFileSync(join(etc, file), `redis://${user}:${file.replaceAll('_', '')}@${server}:6379\n`)
    }
    execFileSync('sh', ['-eu'], {
      input: `SECRETS=${etc}\nREDIS=${etc}\nSOURCE=${ROOT}\n. ${DEPLOY}/install-common.sh\n${protectRedis}\nprotect_redis\n`,
      env: { PATH: `${bin}:/usr/bin:/bin` },
    })
  }
  run('redis.example.com')
  expect(readFileSync(join(etc, 'redis.conf'), 'utf8')).toBe('port 6379\n')
  for (const _again of [1, 2]) run('127.0.0.1')
  const config = readFileSync(join(etc, 'probity.conf'), 'utf8')
  expect(config).toMatch(/^requirepass adminredisurl$/m)
  expect(config).toMatch(/^user probity_worker on >workerredisurl /m)
  expect(config).not.toMatch(/_PASSWORD/)
  const server = await startRedis({ config })
  whenDone(() => server.stop())
  const list = ['--user', 'probity_worker', '--pass', 'workerredisurl', '-p', String(server.port), 'keys', '*']
  expect(execFileSync('redis-cli', ['--no-auth-warning', ...list], { encoding: 'utf8' })).toContain('NOPERM')
  expect(statSync(join(etc, 'probity.conf')).mode & 0o777).toBe(0o600)
  expect(readFileSync(join(etc, 'redis.conf'), 'utf8').match(/^include .*\/probity\.conf$/gm)).toHaveLength(1)
  expect(script).toMatch(/redis:\/\/probity_worker:\$\(make_password\)@127\.0\.0\.1:6379/)
})

test('a dry run prints the files and creates nothing', () => {
  const folder = makeTestFolder()
  const { stdout, status } = install('--dry-run', '--folder', folder)
  expect([status, readdirSync(folder)]).toEqual([0, []])
  expect(stdout).toContain(`creates  ${folder}/secrets/database_url\n`)
})

test('secrets are created once, are unique and readable by their owner only', () => {
  const [folder, other] = [makeTestFolder(), makeTestFolder()]
  const { stdout, status } = install('--no-checks', '--folder', folder, '--url', 'https://probity.example.com')
  expect([status, stdout]).toEqual([0, expect.stringContaining('https://probity.example.com')])
  const made = contentsOf(folder)
  expect(Object.keys(made).filter((path) => path.startsWith('secrets/')).length).toBe(17)
  expect(made['probity.env']).toMatch(/^PROBITY_PUBLIC_URL=https:\/\/probity\.example\.com$/m)
  expect(made['.env']).toContain('PROBITY_DOMAIN=probity.example.com\n')
  expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700)
  expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600)
  expect(stdout).not.toContain(made['secrets/postgres_password'])

  expect(install('--no-checks', '--folder', folder, '--url', 'https://other.example.com').status).toBe(0)
  expect(contentsOf(folder)).toEqual(made)

  install('--no-checks', '--folder', other)
  const passwords = [made, contentsOf(other)].flatMap((files) =>
    [
      'postgres_password',
      'database_url',
      'worker_database_url',
      'maintenance_database_url',
      'database_owner_url',
      'redis_url',
      'worker_redis_url',
      'maintenance_redis_url',
      'admin_redis_url',
      'grafana_password',
    ].map((name) => /[A-Za-z0-9]{32}/.exec(files[`secrets/${name}`] ?? '')?.[0]),
  )
  expect(new Set(passwords).size).toBe(20)
})

test('install.sh writes probity-admin, which runs an operator command with the Compose file of its folder', () => {
  const folder = makeTestFolder()
  install('--no-checks', '--folder', folder)
  const command = join(folder, 'probity-admin')
  expect(statSync(command).mode & 0o777).toBe(0o755)
  expect(spawnSync('shellcheck', [command], { encoding: 'utf8' }).stdout).toBe('')
  const [bin, elsewhere] = [makeTestFolder(), makeTestFolder()]
  symlinkSync(command, join(elsewhere, 'probity-admin'))
  // Docker is not part of the test environment: this program prints its arguments.
  writeFileSync(join(bin, 'docker'), '#!/bin/sh\nprintf "%s\\n" "$@"\n', { mode: 0o755 })
  const env = { PATH: `${bin}:/usr/bin:/bin` }
  const printed = execFileSync(join(elsewhere, 'probity-admin'), ['key', 'list', '--account', 'a b'], { env })
  const expected = [
    'compose',
    '--file',
    `${folder}/compose.yaml`,
    'run',
    '--rm',
    'admin',
    'key',
    'list',
    '--account',
    'a b',
  ]
  expect(String(printed).trimEnd().split('\n')).toEqual(expected)
})

test('bin/probity-admin runs through a link, and its commands are those of the program', () => {
  const folder = makeTestFolder()
  symlinkSync(join(ROOT, 'bin/probity-admin'), join(folder, 'probity-admin'))
  const help = execFileSync(join(folder, 'probity-admin'), ['--help'], { cwd: folder, encoding: 'utf8' })
  expect(help).toContain('Usage: probity-admin [options] [command]')
})

test('a lost secret is created again and matches the others', () => {
  const folder = makeTestFolder()
  install('--no-checks', '--folder', folder)
  const before = contentsOf(folder)
  for (const name of ['redis_url', 'admin_redis_url', 'worker_redis_url', 'maintenance_redis_url', 'redis_conf']) {
    execFileSync('rm', [join(folder, 'secrets', name)])
    install('--no-checks', '--folder', folder)
    expect(contentsOf(folder)).toEqual(before)
  }
})

test('install.sh rejects URLs with characters that are not allowed', () => {
  const folder = makeTestFolder()
  for (const url of ['probity.example.com', 'https://a|b', 'https://a;id', 'https://a\nX=1'])
    expect(install('--no-checks', '--folder', folder, '--url', url).status).toBe(1)
  expect(readdirSync(folder)).toEqual([])
})

test('the created roles can migrate and run API and worker, and have no other rights', async () => {
  const folder = makeTestFolder()
  install('--no-checks', '--folder', folder)
  const config = readFileSync(join(folder, 'secrets/redis_conf'), 'utf8')
  const [server, redis] = await Promise.all([startPostgres(), startRedis({ config })])
  whenDone(() => Promise.all([server.stop(), redis.stop()]))
  const env = { ...process.env, SECRETS: join(folder, 'secrets'), PGHOST: '127.0.0.1', PGPORT: String(server.port) }
  for (const _again of [1, 2]) execFileSync(join(DEPLOY, 'postgres/roles.sh'), { env, stdio: 'pipe' })

  const urlOf = (name: string) => {
    const path = join(folder, name)
    const url = readFileSync(join(folder, 'secrets', name), 'utf8')
      .replace('@postgres/', `@127.0.0.1:${server.port}/`)
      .replace('@redis:6379', `@127.0.0.1:${redis.port}`)
    writeFileSync(path, url)
    return path
  }
  const owner = { DATABASE_OWNER_URL_FILE: urlOf('database_owner_url') }
  execFileSync(process.execPath, [join(ROOT, 'apps/admin/src/main.ts'), 'migrate'], {
    env: { ...process.env, ...owner },
    stdio: 'pipe',
  })
  const urls = (prefix: string) => ({
    DATABASE_URL_FILE: urlOf(`${prefix}database_url`),
    REDIS_URL: readFileSync(urlOf(`${prefix}redis_url`), 'utf8').trim(),
  })
  const settings = urls('')
  const api = await startApiProcess(settings)
  expect((await fetch(`${api.url}/readyz`)).status).toBe(200)
  const healthcheck = (url: string) => spawnSync(process.execPath, [join(DEPLOY, 'healthcheck.ts'), url]).status
  expect([
    healthcheck(`${api.url}/readyz`),
    healthcheck(`${api.url}/nowhere`),
    healthcheck('http://127.0.0.1:1'),
  ]).toEqual([0, 1, 1])
  const ofWorker = urls('worker_')
  await startWorkerProcess(ofWorker)
  execFileSync(process.execPath, [join(ROOT, 'apps/admin/src/main.ts'), 'alive'], {
    env: { ...process.env, ...ofWorker },
  })
  const ofMaintenance = urls('maintenance_')
  await startMaintenanceProcess(ofMaintenance)
  execFileSync(process.execPath, [join(ROOT, 'apps/admin/src/main.ts'), 'alive', '--maintenance'], {
    env: { ...process.env, ...ofMaintenance },
  })

  const [, password = ''] = /:([^:@]+)@/.exec(readFileSync(urlOf('admin_redis_url'), 'utf8')) ?? []
  const toRedis = ['--no-auth-warning', '--pass', password, '-p', String(redis.port)]
  // Nothing was denied to the processes.
  expect(execFileSync('redis-cli', [...toRedis, 'acl', 'log'], { encoding: 'utf8' }).trim()).toBe('')
  expect(execFileSync('redis-cli', [...toRedis, 'exists', 'api-processes'], { encoding: 'utf8' }).trim()).toBe('1')

  const sendRequest = (login: string, statement: string) =>
    execFileSync('psql', ['-At', `postgres://${login}@127.0.0.1:${server.port}/probity`, '-c', statement], {
      stdio: 'pipe',
    })
  expect(() => sendRequest('probity_api', 'select * from accounts')).toThrow('permission denied')
  expect(() => sendRequest('probity_worker_login', 'select * from jobs')).toThrow('permission denied')
  expect(() => sendRequest('probity_maintenance_login', 'select * from jobs')).toThrow('permission denied')
  for (const role of ['probity_app', 'probity_users', 'probity_operator', 'probity_owner'])
    for (const login of ['probity_worker_login', 'probity_maintenance_login'])
      expect(() => sendRequest(login, `set role ${role}`)).toThrow('permission denied')
  expect(String(sendRequest('probity_api', 'show server_encoding'))).toBe('UTF8\n')
}, 240_000)

test.each(UNITS)('systemd accepts %s and rates its sandbox as safe', (unit) => {
  const folder = makeTestFolder()
  const here = join(folder, unit.replace('systemd/', ''))
  // With the path of Node on this machine, and the other units in the same folder.
  for (const other of UNITS) {
    const text = readFileSync(join(DEPLOY, other), 'utf8').replaceAll('/usr/local/bin/node', process.execPath)
    writeFileSync(join(folder, other.replace('systemd/', '')), text)
  }
  const verified = spawnSync('systemd-analyze', ['verify', '--man=no', here], { encoding: 'utf8' })
  const faults = verified.stderr.split('\n').filter((line) => line.includes('probity-'))
  expect([verified.status, faults]).toEqual([0, []])
  const judged = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', here], {
    encoding: 'utf8',
  })
  expect([judged.status, judged.stdout.split('\n').at(-2)]).toEqual([0, expect.stringContaining('OK')])
})

/** Written by install.sh. */
const WRITTEN = ['deploy/probity-admin']

/** Marks of blocks that `pnpm deployment bare-root` runs on a bare Debian: `<!-- test: bare-root -->`, `<!-- test: bare-root-again -->`. */
test('commands in docs/docker-compose.md and docs/debian.md use existing files and the versions of the workspace', () => {
  const blocks = ['docs/docker-compose.md', 'docs/debian.md'].flatMap((page) => readBlocks(page))
  const typed = (mark: string) =>
    blocks.filter(({ marker }) => `<!-- test: ${marker?.value} -->` === mark).map(({ text }) => text)
  const compose = typed('<!-- test: deployment -->').join('')
  for (const [path = ''] of compose.matchAll(/deploy\/[\w.-]+/g))
    expect([path, existsSync(join(ROOT, path)) || WRITTEN.includes(path)]).toEqual([path, true])
  const debian = typed('<!-- test: bare-root -->').join('')
  const node = readFileSync(join(ROOT, '.nvmrc'), 'utf8').trim()
  const [, pnpm] = /PNPM_VERSION=(.+)/.exec(readFileSync(join(ROOT, '.ci/run'), 'utf8')) ?? []
  expect(debian).toContain(`node-v${node}-linux-x64.tar.xz`)
  expect(debian).toContain(`pnpm@${pnpm}\n`)
  for (const unit of ['probity-api', 'probity-worker', 'probity-maintenance'])
    expect(UNITS).toContain(`systemd/${unit}.service`)
  expect(typed('<!-- test: bare-root-download -->').join('')).toContain(`/dist/v${node}/`)
})
