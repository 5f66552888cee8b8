import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Building, buildWhenBehind, type Environment, startBuild } from './build-when-behind.ts'

const WEB = fileURLToPath(new URL('../../web/', import.meta.url))
const PACKAGES = fileURLToPath(new URL('../../../packages/', import.meta.url))

const BUILDING: Building = {
  name: 'the web application',
  folder: WEB,
  command: [join(WEB, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn', '--emptyOutDir'],
  sources: [
    ...['src', 'public', 'index.html', 'package.json', 'vite.config.ts'].map((name) => join(WEB, name)),
    ...['contract/src', 'sdk/src'].map((name) => join(PACKAGES, name)),
  ],
  built: join(WEB, 'dist/index.html'),
}

export function buildWeb(env: Environment, write: (line: string) => void): Promise<void> {
  return buildWhenBehind(BUILDING, env, write)
}

/** Rebuilds whenever a source changes, until it is stopped. */
export function watchWeb(env: Environment): ChildProcess {
  const child = startBuild(BUILDING, env, ['--watch'])
  child.stdout?.resume() // Vite lists every chunk of every build
  child.stderr?.pipe(process.stderr)
  return child
}
