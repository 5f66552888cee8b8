import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

export type Environment = Record<string, string | undefined>

/** A build: its tool, its sources and the file that it writes last. */
export type Building = {
  name: string
  folder: string
  command: [program: string, ...args: string[]]
  sources: string[]
  built: string
}

/** Builds if there is no build or a source is newer. */
export async function buildWhenBehind(
  building: Building,
  env: Environment,
  write: (line: string) => void,
): Promise<void> {
  const { name, command } = building
  if (!isBehind(building)) return
  if (!existsSync(command[0])) return write(`Skipping ${name}: the build tool is not installed.`)
  write(`Building ${name} …`)
  const child = startBuild(building, env, [])
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => (said += part))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`Building ${name} failed:\n${said}`)
}

/** Always a production build: with NODE_ENV=test, React would include development code. */
export function startBuild({ folder, command }: Building, env: Environment, args: string[]): ChildProcess {
  return spawn(process.execPath, [...command, ...args], {
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
