import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { COMPILED } from '@probity/lab/compiled'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { ROOT } from '../environment/programs.ts'

export const CLI = join(ROOT, 'apps/cli/src/main.ts')

const NO_REGISTRY = 'http://127.0.0.1:9'

export type Ran = { code: number | null; stdout: string; stderr: string }

type Settings = Record<string, string | undefined>
type RunOptions = { env?: Settings; stdin?: string }

/** The home folder of a new user, with these environment variables only. The doctor finds no npm registry. */
export function openHome(settings: Settings = {}) {
  const home = makeFolder('probity-home')
  whenDone(() => removeFolder(home))
  const ownSettings = (more: Settings = {}): Record<string, string> => {
    const all = {
      PATH: process.env['PATH'],
      HOME: home,
      TZ: 'UTC',
      npm_config_registry: NO_REGISTRY,
      ...COMPILED,
      ...settings,
      ...more,
    }
    return Object.fromEntries(
      Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    )
  }
  return {
    home,
    path: (name: string) => join(home, name),
    env: ownSettings,
    /** Runs `probity` and returns its output and exit code. */
    async run(args: string[], { env, stdin }: RunOptions = {}): Promise<Ran> {
      const child = start(args, ownSettings(env), home)
      child.stdin.end(stdin)
      const [code] = await once(child, 'close')
      return { code, ...child.ran }
    },
    /** Starts `probity` without waiting for its end. */
    start: (args: string[], env: Settings = {}) => start(args, ownSettings(env), home),
  }
}

function start(args: string[], env: Record<string, string>, cwd: string) {
  const child = spawn(process.execPath, [CLI, ...args], { env, cwd, stdio: ['pipe', 'pipe', 'pipe'] })
  whenDone(() => child.kill('SIGKILL'))
  const ran = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      ran[stream] += text
    })
  }
  child.stdin.on('error', () => undefined) // the process may have exited without reading
  return Object.assign(child, { ran })
}
