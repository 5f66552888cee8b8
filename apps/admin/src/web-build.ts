import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const WEB = fileURLToPath(new URL('../../web/', import.meta.url))
const PACKAGES = fileURLToPath(new URL('../../../packages/', import.meta.url))
const VITE = join(WEB, 'node_modules/vite/bin/vite.js')
const BUILT = join(WEB, 'dist/index.html')

/** What the pages are made of. */
const SOURCES = [
  ...['src', 'public', 'index.html', 'package.json', 'vite.config.ts'].map((name) => join(WEB, name)),
  ...['contract/src', 'sdk/src'].map((name) => join(PACKAGES, name)),
]

type Environment = Record<string, string | undefined>

/** Builds the web application where it was never built, or where a source is newer than what was. */
export async function buildWeb(env: Environment, write: (line: string) => void): Promise<void> {
  if (!isBehind()) return
  if (!existsSync(VITE)) return write('The web application cannot be built here: its build tool is not installed.')
  write('Building the web application …')
  const child = startVite(env, [])
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => (said += part))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`the web application could not be built:\n${said}`)
}

/** Builds it again whenever a source changes, until it is told to stop. */
export function watchWeb(env: Environment): ChildProcess {
  const child = startVite(env, ['--watch'])
  child.stdout?.resume() // every chunk of every build would be written here
  child.stderr?.pipe(process.stderr)
  return child
}

/** Under the name of a test, say, React would be built with all that it tells developers. */
function startVite(env: Environment, args: string[]): ChildProcess {
  const command = [VITE, 'build', '--logLevel', 'warn', '--emptyOutDir', ...args]
  return spawn(process.execPath, command, {
    cwd: WEB,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...env, NODE_ENV: 'production' },
  })
}

function isBehind(): boolean {
  if (!existsSync(BUILT)) return true
  const builtAt = statSync(BUILT).mtimeMs
  return SOURCES.some((source) => newestIn(source) > builtAt)
}

/** When a file, or anything in a folder, was last changed. A folder's own time tells of files that are gone. */
function newestIn(path: string): number {
  const found = statSync(path)
  if (!found.isDirectory()) return found.mtimeMs
  return readdirSync(path).reduce((newest, name) => Math.max(newest, newestIn(join(path, name))), found.mtimeMs)
}
