import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Environment } from './config.ts'

/** A build: its tool, its sources and the file that it writes last. */
type Building = {
  name: string
  folder: string
  command: [program: string, ...args: string[]]
  sources: string[]
  built: string
}

/** Builds if there is no build or a source is newer. */
async function buildWhenBehind(building: Building, env: Environment, write: (line: string) => void): Promise<void> {
  const { name, command } = building
  if (!isBehind(building)) return
  if (!existsSync(command[0])) return write(`Skipping ${name}: the build tool is not installed.`)
  write(`Building ${name} …`)
  const child = startBuild(building, env)
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => (said += part))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`Building ${name} failed:\n${said}`)
}

/** Always a production build: with NODE_ENV=test, React would include development code. */
function startBuild({ folder, command }: Building, env: Environment): ChildProcess {
  return spawn(process.execPath, command, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...env, NODE_ENV: 'production', ASTRO_TELEMETRY_DISABLED: '1' },
  })
}

function isBehind({ built, sources }: Building): boolean {
  if (!existsSync(built)) return true
  const builtAt = statSync(built).mtimeMs
  return sources.some((source) => newestIn(source) > builtAt)
}

/** The last change of a file, or of anything in a folder. The time of the folder itself shows deleted files. */
function newestIn(path: string): number {
  const found = statSync(path)
  if (!found.isDirectory()) return found.mtimeMs
  return readdirSync(path).reduce((newest, name) => Math.max(newest, newestIn(join(path, name))), found.mtimeMs)
}

const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url))
const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

const DOCS_BUILD: Building = {
  name: 'the docs',
  folder: DOCS,
  command: [join(DOCS, 'node_modules/astro/bin/astro.mjs'), 'build'],
  sources: [
    ...['src', 'public', 'package.json', 'astro.config.ts'].map((name) => join(DOCS, name)),
    ...['docs', 'CHANGELOG.md'].map((name) => join(ROOT, name)),
  ],
  built: join(DOCS, 'dist/llms.txt.br'),
}

export function buildDocs(env: Environment, write: (line: string) => void): Promise<void> {
  return buildWhenBehind(DOCS_BUILD, env, write)
}

const WEB = fileURLToPath(new URL('../../web/', import.meta.url))
const VITE = join(WEB, 'node_modules/vite/bin/vite.js')
const PACKAGES = fileURLToPath(new URL('../../../packages/', import.meta.url))

const WEB_BUILD: Building = {
  name: 'the web application',
  folder: WEB,
  command: [VITE, 'build', '--logLevel', 'warn', '--emptyOutDir'],
  sources: [
    ...['src', 'public', 'index.html', 'package.json', 'vite.config.ts'].map((name) => join(WEB, name)),
    ...['contract/src', 'sdk/src'].map((name) => join(PACKAGES, name)),
  ],
  built: join(WEB, 'dist/index.html'),
}

export function buildWeb(env: Environment, write: (line: string) => void): Promise<void> {
  return buildWhenBehind(WEB_BUILD, env, write)
}

/** Serves the web application with hot reload until it is stopped. All other paths are passed on to the API. */
export function serveWeb(env: Environment, { port, apiUrl }: { port: number; apiUrl: string }): ChildProcess {
  const args = [
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    '--strictPort',
    '--logLevel',
    'warn',
    '--clearScreen',
    'false',
  ]
  return spawn(process.execPath, [VITE, ...args], {
    cwd: WEB,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...env, NODE_ENV: 'development', API_URL: apiUrl },
  })
}
