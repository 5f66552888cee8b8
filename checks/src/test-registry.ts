import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { parse, stringify } from 'yaml'
import { type Planted, plant, REAL_ROOT } from './test-workspace.ts'

/**
 * A package to publish: its package.json besides name and version ({registry} is the URL of the test registry), and its
 * age in days.
 */
export type Published = { name: string; days?: number; manifest?: object }

const DAY_MS = 24 * 60 * 60 * 1_000
const LONG_MS = 25_000

const STORE = mkdtempSync(join(tmpdir(), 'probity-store-'))
afterAll(() => rmSync(STORE, { recursive: true }), LONG_MS)

/** A registry on this machine with these packages only, each as version 1.0.0. */
export async function startRegistry(packages: Published[]): Promise<{ url: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'probity-registry-'))
  const tarballs = new Map(packages.map((one) => [one.name, pack(folder, one)]))
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo
    const name = decodeURIComponent(request.url?.slice(1).replace(/\.tgz$/, '') ?? '')
    const [found, tarball] = [packages.find((one) => one.name === name), tarballs.get(name)]
    if (!found || !tarball) response.writeHead(404).end('{}')
    else if (request.url?.endsWith('.tgz')) response.end(tarball)
    else response.setHeader('content-type', 'application/json').end(describe(found, tarball, port))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    server.close()
    rmSync(folder, { recursive: true })
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
}

function manifestOf({ name, manifest }: Published): object {
  return { name, version: '1.0.0', license: 'MIT', ...manifest }
}

function pack(folder: string, one: Published): Buffer {
  const place = join(folder, one.name)
  mkdirSync(join(place, 'package'), { recursive: true })
  writeFileSync(join(place, 'package/package.json'), JSON.stringify(manifestOf(one)))
  execFileSync('tar', ['czf', join(place, 'package.tgz'), '-C', place, 'package'])
  return readFileSync(join(place, 'package.tgz'))
}

function describe(one: Published, tarball: Buffer, port: number): string {
  const at = new Date(Date.now() - (one.days ?? 30) * DAY_MS).toISOString()
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
  const dist = { tarball: `http://127.0.0.1:${port}/${one.name}.tgz`, integrity }
  return JSON.stringify({
    name: one.name,
    'dist-tags': { latest: '1.0.0' },
    time: { created: at, modified: at, '1.0.0': at },
    versions: { '1.0.0': { ...manifestOf(one), dist } },
  }).replaceAll('{registry}', `http://127.0.0.1:${port}`)
}

/** A work tree with our pnpm settings, except for the given changes, that installs from the given registry. */
export function plantInstall(registry: string, files: Planted, changed: object = {}): string {
  const real = parse(readFileSync(join(REAL_ROOT, 'pnpm-workspace.yaml'), 'utf8')) as object
  const settings = { ...real, packages: ['apps/*'], catalog: {}, ...changed }
  const root = plant({
    'package.json': '{ "name": "planted", "private": true }',
    'pnpm-workspace.yaml': stringify(settings),
    '.npmrc': `registry=${registry}\n`,
    ...files,
  })
  rmSync(join(root, 'node_modules')) // without the link to the installed packages: the test installs its own
  return root
}

/** Runs `pnpm install` with a separate store and an empty cache. */
export function install(root: string, ...args: string[]): Promise<{ ok: boolean; output: string }> {
  const own = ['--store-dir', STORE, '--cache-dir', join(root, '.cache')]
  return new Promise((resolve) => {
    execFile('pnpm', ['install', ...args, ...own], { cwd: root, timeout: LONG_MS }, (error, stdout, stderr) =>
      resolve({ ok: error === null, output: `${stdout}${stderr}` }),
    )
  })
}
