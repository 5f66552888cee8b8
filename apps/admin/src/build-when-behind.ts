import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

export type Environment = Record<string, string | undefined>

/** Something that is built from sources: the tool that does it, what it is made of, and the file that it writes last. */
export type Building = {
  name: string
  folder: string
  command: [program: string, ...args: string[]]
  sources: string[]
  built: string
}

/** Builds it where it was never built, or where a source is newer than what was. */
export async function buildWhenBehind(
  building: Building,
  env: Environment,
  write: (line: string) => void,
): Promise<void> {
  const { name, command } = building
  if (!isBehind(building)) return
  if (!existsSync(command[0])) return write(`Without ${name}: the tool that builds this part is not installed.`)
  write(`Building ${name} …`)
  const child = startBuild(building, env, [])
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => (said += part))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${name} could not be built:\n${said}`)
}

/** Under the name of a test, say, React would be built with all that it tells developers. */
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

/** When a file, or anything in a folder, was last changed. A folder's own time tells of files that are gone. */
function newestIn(path: string): number {
  const found = statSync(path)
  if (!found.isDirectory()) return found.mtimeMs
  return readdirSync(path).reduce((newest, name) => Math.max(newest, newestIn(join(path, name))), found.mtimeMs)
}
