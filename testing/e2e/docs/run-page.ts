import { spawn } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import type { InstalledSdk } from '../api/sdk/install.ts'
import { CLI } from '../cli/run-cli.ts'
import { ROOT } from '../environment/programs.ts'
import { run } from '../environment/run.ts'
import type { Block } from './pages.ts'

const WITHIN_MS = 120_000
/** Separates the output of one block from that of the next. */
const BETWEEN = '\u001e'
const RUNS: Record<string, (file: string) => string> = {
  ts: (file) => `node ${file}`,
  js: (file) => `node ${file}`,
  python: (file) => `python3 ${file}`,
  php: (file) => `php ${file}`,
}

/** The command of a crontab line, run in the folder of the page with the key in a file. */
function commandOf(line: string): string {
  const command = line.trim().split(/\s+/).slice(5).join(' ').replace('/srv/crm', '.')
  return `printf '%s' "$PROBITY_API_KEY" >probity.key\nsh -c ${inShell(command)}`
}

function inShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** Whether a block is run, and not only shown. */
export function isRun({ language, marker }: Block): boolean {
  return (language === 'sh' || language === 'cron' || Object.hasOwn(RUNS, language)) && marker?.kind !== 'file'
}

export type Installed = { sdk: InstalledSdk; env: Record<string, string>; asHere: (text: string) => string }

/**
 * Runs the blocks of one page in order, in one shell and one folder, so that later blocks can use the results of
 * earlier ones. Returns each block with its output. The first failure ends the page.
 */
export async function runPage(blocks: Block[], { sdk, env, asHere }: Installed): Promise<Map<Block, string>> {
  const folder = makeFolder('probity-page')
  whenDone(() => removeFolder(folder))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  symlinkSync(join(sdk.folder, 'node_modules'), join(folder, 'node_modules'))
  const typed: string[] = []
  const commands = blocks.map((block, n) => {
    const file = block.marker?.kind === 'file' ? block.marker.value : `block-${n}.${block.language}`
    if (block.language !== 'sh' || block.marker?.kind === 'file') {
      const after = block.marker?.kind === 'after' ? `\n${block.marker.value}\n` : ''
      writeFileSync(join(folder, file), asHere(block.text + after))
      if (block.language === 'ts') typed.push(file)
    }
    if (!isRun(block)) return ''
    if (block.language === 'cron') return commandOf(asHere(block.text))
    return block.language === 'sh' ? asHere(block.text) : (RUNS[block.language]?.(file) ?? '')
  })
  if (typed.length > 0) compileIn(folder, typed)
  const script = [PRELUDE, ...commands.map((command) => `${command}\nprintf '${BETWEEN}'`)].join('\n')
  const printed = (await runShell(script, folder, env)).split(BETWEEN)
  return new Map(blocks.map((block, n) => [block, printed[n] ?? '']))
}

/** The CLI and the operator commands, as an installed package and an installation provide them. */
const PRELUDE = `
probity() { node "${CLI}" "$@"; }
probity-admin() { '${ROOT}/bin/probity-admin' "$@"; }
`

function compileIn(folder: string, files: string[]): void {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    module: 'nodenext',
    target: 'es2023',
    allowImportingTsExtensions: true,
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], folder)
}

/** Stdout and stderr together, as users see them. It runs in its own process group, so that no process survives. */
function runShell(script: string, cwd: string, env: Record<string, string>): Promise<string> {
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', `exec 2>&1\n${script}`], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: cwd, TZ: 'UTC', ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const end = () => {
    try {
      if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGKILL')
    } catch {
      // all processes have ended
    }
  }
  whenDone(end)
  const timer = setTimeout(end, WITHIN_MS)
  let out = ''
  shell.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  return new Promise((resolve, reject) => {
    shell.once('exit', (code) => {
      clearTimeout(timer)
      end()
      if (code === 0) resolve(out)
      else reject(new Error(`ended with ${code} after:\n${out.slice(-3_000)}`))
    })
  })
}
